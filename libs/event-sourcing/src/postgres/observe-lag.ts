import { type Attributes, metrics } from '@opentelemetry/api';

/** How far a reader of the feed is behind: events, and the age of the first of them in seconds; 0 when there is none. */
export interface Lag {
  readonly events: number;
  readonly seconds: number;
}

const METER = '@postern/event-sourcing';

/** A counter of the process's metrics that shows 0 from now on, so that its first step is seen to be one. */
export const countFromZero = (name: string, description: string): ((by: number) => void) => {
  const counter = metrics.getMeter(METER).createCounter(name, { description });
  counter.add(0);
  return by => counter.add(by);
};

/**
 * Shows `<name>.lag` and `<name>.delay`, asked for whenever the metrics are collected. A question that fails leaves
 * them out, which is what an alert on their absence is for.
 * @returns ends it.
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

/**
 * Shows for each of the states whether it is the present one, so that a query finds them before the first time.
 * @returns ends it.
 */
export const observeState = (
  { name, description, attribute }: { readonly name: string; readonly description: string; readonly attribute: string },
  states: readonly string[],
  present: () => string | undefined,
): (() => void) => {
  const gauge = metrics.getMeter(METER).createObservableGauge(name, { description });
  const observe: Parameters<typeof gauge.addCallback>[0] = observed => {
    const now = present();
    for (const state of states) observed.observe(state === now ? 1 : 0, { [attribute]: state });
  };
  gauge.addCallback(observe);
  return () => gauge.removeCallback(observe);
};
