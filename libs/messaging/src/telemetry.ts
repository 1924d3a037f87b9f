import {
  type Attributes,
  context,
  type Histogram,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

const SCOPE = '@postern/messaging';
/** Bucket borders that OpenTelemetry advises for durations. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

const parentContext = (traceparent: string | undefined) => {
  const parts = traceparent ? TRACEPARENT.exec(traceparent) : null;
  if (!parts) return context.active();
  const [, traceId, spanId, flags] = parts as unknown as [string, string, string, string];
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
};

/** A span and the traceparent to hand on. Without a registered SDK the caller's own traceparent goes on unchanged. */
export class Traced {
  readonly traceparent: string | undefined;
  readonly #span: Span;
  readonly #context: ReturnType<typeof context.active>;

  constructor(name: string, kind: SpanKind, traceparent: string | undefined, attributes: Attributes) {
    const parent = parentContext(traceparent);
    this.#span = trace.getTracer(SCOPE).startSpan(name, { kind, attributes }, parent);
    this.#context = trace.setSpan(parent, this.#span);
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    this.traceparent = this.#span.isRecording()
      ? `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
      : traceparent;
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  end(failure?: string): void {
    if (failure) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    this.#span.end();
  }
}

interface Instruments {
  readonly requestDuration: Histogram;
  readonly eventDuration: Histogram;
  readonly eventFailures: { add(value: number, attributes: Attributes): void };
  readonly poisonEvents: { add(value: number, attributes: Attributes): void };
}

let created: Instruments | undefined;

/** Made at first use: the metrics API hands out dead instruments until the process has registered its meter provider. */
export const instruments = (): Instruments => {
  if (created) return created;
  const meter = metrics.getMeter(SCOPE);
  created = {
    requestDuration: meter.createHistogram('rpc.server.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
      description: 'Time to answer one request, from its arrival',
    }),
    eventDuration: meter.createHistogram('messaging.process.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
      description: 'Time of one call of an event handler',
    }),
    eventFailures: meter.createCounter('postern.events.handler_failures', {
      description: 'Calls of event handlers that threw',
    }),
    poisonEvents: meter.createCounter('postern.events.poisoned', {
      description: 'Times an event was put aside alone because its handler keeps refusing it',
    }),
  };
  return created;
};
