import type { Attributes, Context, Histogram, Meter, MeterProvider, MetricOptions } from '@opentelemetry/api';
import { recordedTraceId } from '@postern/messaging';
import { bucketKeyOf, type Exemplar } from './open-metrics.js';

interface Series {
  readonly name: string;
  readonly attributes: Attributes;
  readonly boundaries: readonly number[];
  /** By index of the bucket; the last one is +Inf. */
  readonly newest: (Exemplar | undefined)[];
}

/** The SDK of OpenTelemetry also keeps at most this number of series of a metric. */
const MAX_SERIES = 2_000;

/**
 * The newest measurement of a recorded trace in each bucket of the histograms, which the SDK of OpenTelemetry for
 * JavaScript does not keep. A histogram without `advice` on its boundaries has none.
 */
export class Exemplars {
  readonly #series = new Map<string, Series>();

  /** The same meters, whose histograms keep exemplars. */
  keptBy(provider: MeterProvider): MeterProvider {
    return { getMeter: (...args) => this.#meter(provider.getMeter(...args)) };
  }

  /** The exemplars by `bucketKeyOf`. */
  byBucket(): ReadonlyMap<string, Exemplar> {
    const found = new Map<string, Exemplar>();
    for (const { name, attributes, boundaries, newest } of this.#series.values())
      for (const [index, exemplar] of newest.entries())
        if (exemplar) found.set(bucketKeyOf(name, attributes, boundaries[index]), exemplar);
    return found;
  }

  #meter(meter: Meter): Meter {
    const createHistogram = (name: string, options?: MetricOptions): Histogram => {
      const histogram = meter.createHistogram(name, options);
      const boundaries = options?.advice?.explicitBucketBoundaries;
      if (boundaries === undefined) return histogram;
      return {
        record: (value: number, attributes: Attributes = {}, context?: Context) => {
          histogram.record(value, attributes, context);
          const traceId = recordedTraceId(context);
          if (traceId !== undefined) this.#keep({ name, attributes, boundaries }, { traceId, value, at: Date.now() });
        },
      };
    };
    return Object.create(meter, { createHistogram: { value: createHistogram } });
  }

  #keep({ name, attributes, boundaries }: Omit<Series, 'newest'>, exemplar: Exemplar): void {
    const key = name + JSON.stringify(attributes);
    const series = this.#series.get(key) ?? { name, attributes, boundaries, newest: [] };
    if (series.newest.length === 0 && this.#series.size >= MAX_SERIES) return;
    this.#series.set(key, series);
    const index = boundaries.findIndex(boundary => exemplar.value <= boundary);
    series.newest[index < 0 ? boundaries.length : index] = exemplar;
  }
}
