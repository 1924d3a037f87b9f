import { randomUUID } from 'node:crypto';
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

export interface TracingSettings {
  /** Records every span that it is asked for. */
  readonly tracer: Tracer;
  /** Share of the traces beginning in this process that are recorded, from 0 to 1. */
  readonly ratio: number;
}

let settings: TracingSettings | undefined;

/**
 * Whatever begins from now on is traced; undefined ends that. For the service host, which alone knows where spans go:
 * until it calls, nothing here makes an object, and a caller's traceparent is handed on as it is.
 */
export const traceWith = (given: TracingSettings | undefined): void => {
  settings = given;
};

/** Work under way that is part of a trace. Whatever it causes has to carry its `traceparent`. */
export class TraceSpan {
  constructor(
    readonly traceparent: string,
    private readonly span?: Span,
  ) {}

  annotate(attributes: SpanAttributes): void {
    this.span?.setAttributes(attributes);
  }

  /** @param failure what went wrong; only its name is told, for messages may quote what nobody else should read. */
  end(failure?: unknown): void {
    if (failure !== undefined) {
      this.span?.setAttribute('error.type', failure instanceof Error ? failure.name : String(failure));
      this.span?.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span?.end();
  }
}

/**
 * Begins a span as a child of `parent`; without one it begins a trace, and the ratio decides about all of it. Undefined
 * where nothing is to be recorded: then `parent` goes on unchanged, for those who come after decide alike.
 */
export const startSpan = (
  name: string,
  parent: string | undefined,
  { kind = 'internal', attributes, links = [] }: SpanOptions = {},
): TraceSpan | undefined => {
  if (!settings || (parent !== undefined && isUnrecorded(parent))) return undefined;
  const parentContext = readTraceparent(parent);
  // Decided before the SDK is asked, for which nine traces in ten would cost as much as the one that it records.
  if (!parentContext && Math.random() >= settings.ratio) return new TraceSpan(unrecordedTrace());
  const context = parentContext ? trace.setSpanContext(ROOT_CONTEXT, parentContext) : ROOT_CONTEXT;
  const linked = links.flatMap(link => readTraceparent(link) ?? []).map(spanContext => ({ context: spanContext }));
  const options = { kind: KINDS[kind], links: linked, ...(attributes ? { attributes } : {}) };
  const span = settings.tracer.startSpan(name, options, context);
  const { traceId, spanId } = span.spanContext();
  return new TraceSpan(`00-${traceId}-${spanId}-01`, span);
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

/** The sampled flag is the lowest bit of the last digit; asked at every step of every message, so nothing is parsed. */
const isUnrecorded = (traceparent: string): boolean =>
  traceparent.length === 55 && (Number.parseInt(traceparent.charAt(54), 16) & TraceFlags.SAMPLED) === 0;

/** A trace for others to leave out as well. */
const unrecordedTrace = (): string => {
  const traceId = randomUUID().replaceAll('-', '');
  return `00-${traceId}-${traceId.slice(16)}-00`;
};
