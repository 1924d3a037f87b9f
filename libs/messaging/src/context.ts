import { AsyncLocalStorage } from 'node:async_hooks';

/** The origin of the current work. Every request and every published event carries it. */
export interface RequestContext {
  readonly correlationId: string;
  /** Id of the request or event that caused the current work. */
  readonly causationId?: string | undefined;
  /** W3C trace context, level 1 (`00-<trace>-<span>-<flags>`). */
  readonly traceparent?: string | undefined;
  readonly actor?: string | undefined;
}

/** The time until which the caller of the current request waits. */
export interface RequestDeadline {
  /** Milliseconds since the epoch, by this process's clock. */
  readonly at: number;
  /** Milliseconds left by a monotonic clock; negative after the deadline. */
  remainingMs(): number;
  /** Milliseconds since the caller sent the request, as far as that is known. */
  elapsedMs(): number;
}

/** The request that is being handled. */
export interface PresentRequest {
  readonly deadline: RequestDeadline;
  onReplyReceived(callback: () => void): void;
}

/** One object for both saves a second AsyncLocalStorage. */
interface Scope {
  readonly context: RequestContext;
  readonly request: PresentRequest | undefined;
}

const storage = new AsyncLocalStorage<Scope>();

/** The context of the current work, if a request, an event or `runInContext` started it. */
export const currentContext = (): RequestContext | undefined => storage.getStore()?.context;

/** Runs `work` so that its logs, requests and appends carry `context`; the deadline of the request is kept. */
export const runInContext = <T>(context: RequestContext, work: () => T): T =>
  storage.run({ context, request: storage.getStore()?.request }, work);

/** Runs `work` in `context` for `request`; undefined when no request is handled. */
export const runForRequest = <T>(context: RequestContext, request: PresentRequest | undefined, work: () => T): T =>
  storage.run({ context, request }, work);

/**
 * The deadline of the request that is being handled; undefined outside a request handler. Still available to work that
 * continues after the reply.
 */
export const requestDeadline = (): RequestDeadline | undefined => storage.getStore()?.request?.deadline;

/**
 * Calls back at most once, when the caller confirms that it received the reply in time. Never called if the caller gave up
 * or runs an older release. Runs outside the request context.
 */
export const onReplyReceived = (callback: () => void): void => storage.getStore()?.request?.onReplyReceived(callback);
