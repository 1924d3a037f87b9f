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

const storage = new AsyncLocalStorage<RequestContext>();

/** The context of the work under way, if it was started by a request, by an event or by `runInContext`. */
export const currentContext = (): RequestContext | undefined => storage.getStore();

/** Runs `work` so that logs, requests and appends inside it carry `context`. */
export const runInContext = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);
