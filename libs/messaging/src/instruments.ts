import { type Attributes, type Histogram, type MeterProvider, metrics } from '@opentelemetry/api';

/** Bucket boundaries that OpenTelemetry recommends for durations. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

interface Instruments {
  readonly requestDuration: Histogram;
  readonly eventDuration: Histogram;
  readonly eventFailures: { add(value: number, attributes: Attributes): void };
  readonly poisonEvents: { add(value: number, attributes: Attributes): void };
  readonly malformed: { add(value: number, attributes: Attributes): void };
  readonly callbackErrors: { add(value: number, attributes: Attributes): void };
}

let created: { readonly provider: MeterProvider; readonly instruments: Instruments } | undefined;

/**
 * The instruments of the meter provider that the process has registered, created at first use: without a provider
 * they do nothing.
 */
export const instruments = (): Instruments => {
  const provider = metrics.getMeterProvider();
  if (created?.provider !== provider) created = { provider, instruments: create(provider) };
  return created.instruments;
};

const create = (provider: MeterProvider): Instruments => {
  const meter = provider.getMeter('@postern/messaging');
  return {
    requestDuration: meter.createHistogram('rpc.server.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
      description: 'Time to answer one request, from its arrival',
    }),
    eventDuration: meter.createHistogram('messaging.process.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
      description: 'Time of one call of an event handler, or of the handler of a queued request',
    }),
    eventFailures: meter.createCounter('postern.events.handler_failures', {
      description: 'Calls of event handlers that threw',
    }),
    poisonEvents: meter.createCounter('postern.events.poisoned', {
      description: 'Events set aside because their handler fails for them alone',
    }),
    malformed: meter.createCounter('postern.messaging.malformed', {
      description: 'Messages and frames that could not be read, by where they arrived',
    }),
    callbackErrors: meter.createCounter('postern.messaging.callback_errors', {
      description: 'Exceptions caught outside of requests, in callbacks of the transport',
    }),
  };
};
