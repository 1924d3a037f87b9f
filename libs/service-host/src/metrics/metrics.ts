import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Meter, metrics } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Exemplars } from './exemplars.js';
import { openMetricsOf } from './open-metrics.js';

/** Metrics from other sources, such as the database, are omitted if reading them takes longer. */
const OBSERVE_WITHIN_MS = 3_000;

/** Time between two measurements of the event loop; each costs CPU, even in an idle process. */
const EVENT_LOOP_EVERY_MS = 100;

/**
 * @returns the delay in seconds, from the time between two measurements in nanoseconds; 0 means that none exists yet.
 */
const delayOf = (elapsedNs: number): number => Math.max(0, elapsedNs / 1e6 - EVENT_LOOP_EVERY_MS) / 1e3;

/** The metrics of the process; `metrics.getMeter()` of @opentelemetry/api works after the service has started. */
export class Metrics {
  readonly #exporter = new PrometheusExporter({ preventServerStart: true });
  /** Every line has the service name as a label, so that dashboards need no target labels. */
  readonly #serializer = new PrometheusSerializer(undefined, false, /^service\.name$/, true, true);
  readonly #provider: MeterProvider;
  readonly #exemplars = new Exemplars();
  readonly #meters;
  readonly #eventLoop = monitorEventLoopDelay({ resolution: EVENT_LOOP_EVERY_MS });

  /** @param version of the release; it tells the processes of a rollout apart */
  constructor(service: string, version = 'unreleased') {
    this.#provider = new MeterProvider({
      resource: resourceFromAttributes({ 'service.name': service }),
      readers: [this.#exporter],
    });
    this.#meters = this.#exemplars.keptBy(this.#provider);
    metrics.setGlobalMeterProvider(this.#meters);
    this.#observeProcess();
    this.meter('process')
      .createObservableGauge('postern.build.info', { description: 'Always 1; the label names the release' })
      .addCallback(result => result.observe(1, { version }));
  }

  /** A meter for one topic; metric names follow OpenTelemetry's conventions (`postern.emails.sent`). */
  meter(name: string): Meter {
    return this.#meters.getMeter(name);
  }

  /** All metrics in the text format of Prometheus. */
  async render(): Promise<string> {
    const { resourceMetrics } = await this.#exporter.collect({ timeoutMillis: OBSERVE_WITHIN_MS });
    return this.#serializer.serialize(resourceMetrics);
  }

  /** All metrics in the OpenMetrics format, with a recorded trace for each bucket of a histogram that has one. */
  async renderOpenMetrics(): Promise<string> {
    return openMetricsOf(await this.render(), this.#exemplars.byBucket());
  }

  async close(): Promise<void> {
    this.#eventLoop.disable();
    metrics.disable();
    await this.#provider.shutdown();
  }

  #observeProcess(): void {
    this.#eventLoop.enable();
    const meter = this.meter('process');
    const delay = { unit: 's', description: 'Delay of the event loop since the last collection' };
    meter.createObservableGauge('nodejs.eventloop.delay.p99', delay).addCallback(result => {
      result.observe(delayOf(this.#eventLoop.percentile(99)));
    });
    meter.createObservableGauge('nodejs.eventloop.delay.max', delay).addCallback(result => {
      result.observe(delayOf(this.#eventLoop.max));
      this.#eventLoop.reset();
    });
    meter
      .createObservableGauge('process.memory.usage', { unit: 'By', description: 'Resident memory' })
      .addCallback(result => result.observe(process.memoryUsage.rss()));
    meter
      .createObservableGauge('v8js.memory.heap.used', { unit: 'By', description: 'Heap in use' })
      .addCallback(result => result.observe(process.memoryUsage().heapUsed));
    meter
      .createObservableCounter('process.cpu.time', { unit: 's', description: 'CPU time used' })
      .addCallback(result => {
        const { user, system } = process.cpuUsage();
        result.observe((user + system) / 1e6);
      });
  }
}
