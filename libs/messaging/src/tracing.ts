import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { currentContext, runInContext } from './context.js';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: keyof typeof KINDS;
  /** Named by OpenTelemetry's conventions. Never a secret, a body or an address of a person. */
  readonly attributes?: SpanAttributes;
  /** Traceparents of other work that this belongs to as well. */
  readonly links?: readonly string[];
}

let tracer: Tracer | undefined;

/**
 * Whatever begins from now on is traced; undefined ends that. For the service host, which alone knows where spans go:
 * until it calls, nothing here makes an object, and a caller's traceparent is handed on as it is.
 */
export const traceWith = (given: Tracer | undefined): void => {
  tracer = given;
};

/** Work under way that is part of a trace. Whatever it causes has to carry its `traceparent`. */
export class TraceSpan {
  readonly traceparent: string;

  constructor(private readonly span: Span) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  annotate(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  /** @param failure what went wrong; only its name is told, for messages may quote what nobody else should read. */
  end(failure?: unknown): void {
    if (failure !== undefined) {
      this.span.setAttribute('error.type', failure instanceof Error ? failure.name : String(failure));
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

/**
 * Begins a span as a child of `parent`; without one it begins a trace, and the sampling ratio decides about all of it.
 * Undefined where nothing is to be recorded: then `parent` goes on unchanged, for those who come after decide alike.
 */
export const startSpan = (
  name: string,
  parent: string | undefined,
  { kind = 'internal', attributes, links = [] }: SpanOptions = {},
): TraceSpan | undefined => {
  if (!tracer) return undefined;
  const parentContext = readTraceparent(parent);
  if (parentContext && !isSampled(parentContext)) return undefined;
  const context = parentContext ? trace.setSpanContext(ROOT_CONTEXT, parentContext) : ROOT_CONTEXT;
  const linked = links.flatMap(link => readTraceparent(link) ?? []).map(spanContext => ({ context: spanContext }));
  const options = { kind: KINDS[kind], links: linked, ...(attributes ? { attributes } : {}) };
  return new TraceSpan(tracer.startSpan(name, options, context));
};

/** Runs `work` as a span of the work under way, so that whatever it asks, appends and logs belongs to the span. */
export const inSpan = async <Result>(
  name: string,
  options: SpanOptions,
  work: (span: TraceSpan | undefined) => Promise<Result>,
): Promise<Result> => {
  const context = currentContext();
  const span = startSpan(name, context?.traceparent, options);
  if (!span) return work(undefined);
  const { traceparent } = span;
  return during(span, () => (context ? runInContext({ ...context, traceparent }, () => work(span)) : work(span)));
};

/**
 * Runs what several traces wait for together as one span: it lies in the first of those that are recorded, and is
 * linked to the others. Work of which no trace is recorded has no span.
 */
export const inSharedSpan = async <Result>(
  name: string,
  traceparents: readonly (string | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!tracer) return work();
  const [first, ...links] = traceparents.filter(one => one !== undefined && isRecorded(one)) as string[];
  const span = first && startSpan(name, first, { attributes: { 'postern.batch.size': traceparents.length }, links });
  return span ? during(span, work) : work();
};

const during = async <Result>(span: TraceSpan, work: () => Promise<Result>): Promise<Result> => {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
};

/** W3C trace context, level 1 §3.2: version, trace id, parent id, flags. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

const readTraceparent = (traceparent: string | undefined): SpanContext | undefined => {
  const [, traceId, spanId, flags] = (traceparent && TRACEPARENT.exec(traceparent)) || [];
  if (!traceId || !spanId || !flags) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
};

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

const isRecorded = (traceparent: string): boolean => {
  const context = readTraceparent(traceparent);
  return context !== undefined && isSampled(context);
};
