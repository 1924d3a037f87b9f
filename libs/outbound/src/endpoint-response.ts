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
  /** Whether nothing was sent, because the caller no longer permitted it. */
  readonly notSent?: boolean;
}

/** The header Retry-After of a 503 (RFC 9110 §10.2.3): seconds, or a date. Undefined without a wait that makes sense. */
export const retryAfterMsOf = (status: number, header: unknown, now: number): number | undefined => {
  if (status !== 503 || typeof header !== 'string') return undefined;
  const text = header.trim();
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return waitMs > 0 ? waitMs : undefined;
};
