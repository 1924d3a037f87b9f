/** The response of an endpoint to one request. */
export interface EndpointResponse {
  /** HTTP status; undefined if there was no response. */
  readonly status?: number;
  /** The reason why there is no status. */
  readonly error?: string;
  /** The first 16 KiB of the body. */
  readonly responseHead?: string;
  readonly latencyMs: number;
  /** How long the endpoint asks to wait, in its header Retry-After. */
  readonly retryAfterMs?: number;
}

export type AttemptOutcome = 'accepted' | 'refused' | 'retry';

/** 2xx is accepted and 4xx is refused; everything else (5xx, redirects, timeouts, network errors) is retried. */
export const outcomeOf = ({ status }: Pick<EndpointResponse, 'status'>): AttemptOutcome => {
  if (status === undefined) return 'retry';
  if (status >= 200 && status < 300) return 'accepted';
  return status >= 400 && status < 500 ? 'refused' : 'retry';
};

/** Why an endpoint refused an event: it asked for fewer requests, it gave up waiting, or it does not want the event. */
export type RefusalKind = 'rate_limited' | 'timed_out' | 'rejected';

export const refusalOf = (status: number | null | undefined): RefusalKind =>
  status === 429 ? 'rate_limited' : status === 408 ? 'timed_out' : 'rejected';

/** The header Retry-After of a 503 (RFC 9110 §10.2.3): seconds, or a date. Undefined without a wait that makes sense. */
export const retryAfterMsOf = (status: number, header: unknown, now: number): number | undefined => {
  if (status !== 503 || typeof header !== 'string') return undefined;
  const text = header.trim();
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return waitMs > 0 ? waitMs : undefined;
};
