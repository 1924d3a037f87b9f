import { AsyncLocalStorage } from 'node:async_hooks';

/** Who asked, and as part of what. Travels with every request and every published event. */
export interface RequestContext {
  readonly correlationId: string;
  /** Id of the request or event that caused the present work. */
  readonly causationId?: string | undefined;
  /** W3C trace context, level 1 (`00-<trace>-<span>-<flags>`). */
  readonly traceparent?: string | undefined;
  readonly actor?: string | undefined;
}

/** The time until which the caller of the present request waits. */
export interface RequestDeadline {
  /** Milliseconds since the epoch, by this process's clock. */
  readonly at: number;
  /** Milliseconds left, by a clock that never jumps; negative once the deadline has passed. */
  remainingMs(): number;
}

/** The request that a handler is answering. */
export interface RequestUnderWay {
  readonly deadline: RequestDeadline;
  onReplyReceived(callback: () => void): void;
}

/** One object for both, so that the deadline costs no second storage. */
interface Scope {
  readonly context: RequestContext;
  readonly request: RequestUnderWay | undefined;
}

const storage = new AsyncLocalStorage<Scope>();

/** The context of the work under way, if it was started by a request, by an event or by `runInContext`. */
export const currentContext = (): RequestContext | undefined => storage.getStore()?.context;

/** Runs `work` so that logs, requests and appends inside it carry `context`; the deadline of a request stays. */
export const runInContext = <T>(context: RequestContext, work: () => T): T =>
  storage.run({ context, request: storage.getStore()?.request }, work);

/** Runs `work` in `context` as the answer to `request`, or as nobody's answer where that is undefined. */
export const runForRequest = <T>(context: RequestContext, request: RequestUnderWay | undefined, work: () => T): T =>
  storage.run({ context, request }, work);

/**
 * The deadline of the request that is being answered; undefined outside a request handler. Work that a handler leaves
 * running after its answer still sees it.
 */
export const requestDeadline = (): RequestDeadline | undefined => storage.getStore()?.request?.deadline;

/**
 * Calls back once the caller has confirmed that it got the reply to the present request while somebody waited for it.
 * At most once, outside the request's context; never where the caller is of an older release or gave up.
 */
export const onReplyReceived = (callback: () => void): void => storage.getStore()?.request?.onReplyReceived(callback);
