import { randomUUID } from 'node:crypto';
import {
  type Context,
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
  /** Named by OpenTelemetry's conventions; never secrets, bodies or personal addresses. */
  readonly attributes?: SpanAttributes;
  /** Traceparents of further traces that the span belongs to. */
  readonly links?: readonly string[];
}

export interface TracingSettings {
  /** Records every span it starts. */
  readonly tracer: Tracer;
  /** Share of traces started in this process that are recorded, from 0 to 1. */
  readonly ratio: number;
}

let settings: TracingSettings | undefined;

/**
 * Starts tracing, or stops it for undefined. Called by the service host. Without it no spans are created, and the
 * traceparent of a caller is passed on unchanged.
 */
export const traceWith = (given: TracingSettings | undefined): void => {
  settings = given;
};

/** A span of a trace. Requests and events that the work causes must carry its `traceparent`. */
export class TraceSpan {
  constructor(
    readonly traceparent: string,
    private readonly span?: Span,
  ) {}

  annotate(attributes: SpanAttributes): void {
    this.span?.setAttributes(attributes);
  }

  /** @param failure the error; only its name is recorded, because messages may quote private data. */
  end(failure?: unknown): void {
    if (failure !== undefined) {
      this.span?.setAttribute('error.type', failure instanceof Error ? failure.name : String(failure));
      this.span?.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span?.end();
  }
}

/**
 * Starts a span as a child of `parent`, or a new trace without one. Returns undefined when nothing is recorded; then
 * `parent` is passed on unchanged.
 */
export const startSpan = (
  name: string,
  parent: string | undefined,
  { kind = 'internal', attributes, links = [] }: SpanOptions = {},
): TraceSpan | undefined => {
  if (!settings || (parent !== undefined && isUnrecorded(parent))) return undefined;
  const parentContext = readTraceparent(parent);
  // Decided before calling the SDK, which would cost as much for an unrecorded trace as for a recorded one.
  if (!parentContext && Math.random() >= settings.ratio) return new TraceSpan(unrecordedTrace());
  const context = contextIn(parentContext);
  const linked = links.flatMap(link => readTraceparent(link) ?? []).map(spanContext => ({ context: spanContext }));
  const options = { kind: KINDS[kind], links: linked, ...(attributes ? { attributes } : {}) };
  const span = settings.tracer.startSpan(name, options, context);
  const { traceId, spanId } = span.spanContext();
  return new TraceSpan(`00-${traceId}-${spanId}-01`, span);
};

/** `traceparent` as a context of OpenTelemetry, with which a measurement outside of the request belongs to its trace. */
export const traceContextOf = (traceparent: string | undefined): Context =>
  contextIn(
    settings && traceparent !== undefined && !isUnrecorded(traceparent) ? readTraceparent(traceparent) : undefined,
  );

/** The id of the trace of `context`, or of the current work without it; undefined unless the trace is recorded. */
export const recordedTraceId = (context?: Context): string | undefined => {
  if (!settings) return undefined;
  const span = trace.getSpanContext(context ?? traceContextOf(currentContext()?.traceparent));
  return span && (span.traceFlags & TraceFlags.SAMPLED) !== 0 ? span.traceId : undefined;
};

/** Runs `work` in a span; its requests, appends and log lines belong to the span. */
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
 * Runs work on behalf of several traces in one span: it belongs to the first recorded trace and is linked to the others.
 * Without a recorded trace there is no span.
 */
export const inSharedSpan = async <Result>(
  name: string,
  traceparents: readonly (string | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!settings) return work();
  const [first, ...links] = traceparents.filter(one => one !== undefined && !isUnrecorded(one)) as string[];
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

const contextIn = (span: SpanContext | undefined): Context =>
  span ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT;

/** The sampled flag is the lowest bit of the last digit. Called for every step, so nothing is parsed. */
const isUnrecorded = (traceparent: string): boolean =>
  traceparent.length === 55 && (Number.parseInt(traceparent.charAt(54), 16) & TraceFlags.SAMPLED) === 0;

/** A trace that is not recorded. */
const unrecordedTrace = (): string => {
  const traceId = randomUUID().replaceAll('-', '');
  return `00-${traceId}-${traceId.slice(16)}-00`;
};
