import { type Attributes, metrics } from '@opentelemetry/api';

/** The lag of a reader of the feed: the number of events, and the age of the first one in seconds; 0 if there is none. */
export interface Lag {
  readonly events: number;
  readonly seconds: number;
}

const METER = '@postern/event-sourcing';

/** A counter in the metrics of the process that starts at 0, so that Prometheus counts its first increase. */
export const countFromZero = (name: string, description: string): ((by: number) => void) => {
  const counter = metrics.getMeter(METER).createCounter(name, { description });
  counter.add(0);
  return by => counter.add(by);
};

/**
 * Exports `<name>.lag` and `<name>.delay`, read whenever the metrics are collected. A failed read omits them, so that an
 * alert on their absence fires.
 * @returns a function that ends the export.
 */
export const observeLag = (name: string, attributes: Attributes, read: () => Promise<Lag>): (() => void) => {
  const meter = metrics.getMeter(METER);
  const lag = meter.createObservableGauge(`${name}.lag`, {
    unit: '{event}',
    description: 'Events waiting to be read, counted up to 100,000',
  });
  const delay = meter.createObservableGauge(`${name}.delay`, {
    unit: 's',
    description: 'Age of the oldest waiting event',
  });
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = async observed => {
    const { events, seconds } = await read();
    observed.observe(lag, events, attributes);
    observed.observe(delay, seconds, attributes);
  };
  meter.addBatchObservableCallback(observe, [lag, delay]);
  return () => meter.removeBatchObservableCallback(observe, [lag, delay]);
};
