import * as contracts from '@postern/contracts';
import { isRequestContract, type Refusal } from '@postern/contracts';

/** The HTTP status of every refusal code, as declared by the contracts. */
export const STATUS_OF_REFUSAL: ReadonlyMap<string, number> = new Map(
  Object.values<unknown>(contracts)
    .filter(isRequestContract)
    .flatMap(({ refusals }) => Object.entries(refusals)),
);

/** Seconds for `Retry-After` if the service specifies none. */
const DEFAULT_RETRY_AFTER_S = { 409: undefined, 429: 60, 503: 5 } as const;

/** Codes about the token in `Authorization: Bearer`. */
const BEARER_CODES: ReadonlySet<string> = new Set(['platform_key_invalid', 'session_invalid']);

/** The statuses that the documents of the API name. */
const KNOWN_STATUSES: ReadonlySet<number> = new Set(STATUS_OF_REFUSAL.values());

/**
 * A newer service may refuse with a code that this release does not know; then the status that it arrived with counts, or
 * the most general one of its class. Undefined for a code without a status, which is a bug of the service that sent it.
 */
export const statusOf = ({ code, status }: Refusal): number | undefined => {
  const known = STATUS_OF_REFUSAL.get(code);
  if (known !== undefined || status === undefined || KNOWN_STATUSES.has(status)) return known ?? status;
  return status < 500 ? 400 : 503;
};

/** `Retry-After` for temporary refusals, `RateLimit-*` if the refusal has a limit, and `WWW-Authenticate`. */
export const headersOf = (refusal: Refusal, status: number): Record<string, string> => {
  const headers = rateLimitHeaders(refusal.details['rate_limit']);
  const given = refusal.details['retry_after_s'];
  const retryAfterS =
    typeof given === 'number'
      ? Math.max(1, Math.ceil(given))
      : refusal.code === 'idempotency_key_in_flight'
        ? 1
        : DEFAULT_RETRY_AFTER_S[status as keyof typeof DEFAULT_RETRY_AFTER_S];
  if (retryAfterS !== undefined) headers['retry-after'] = String(retryAfterS);
  const emailId = refusal.details['email_id'];
  if (refusal.code === 'outcome_unknown' && typeof emailId === 'string') headers['email-id'] = emailId;
  if (BEARER_CODES.has(refusal.code)) headers['www-authenticate'] = 'Bearer';
  return headers;
};

export const rateLimitHeaders = (limit: unknown): Record<string, string> =>
  isRateLimit(limit)
    ? {
        'ratelimit-limit': String(limit.limit),
        'ratelimit-remaining': String(limit.remaining),
        'ratelimit-reset': String(limit.reset_s),
      }
    : {};

const isRateLimit = (value: unknown): value is { limit: number; remaining: number; reset_s: number } =>
  typeof value === 'object' && value !== null && 'limit' in value && 'remaining' in value && 'reset_s' in value;
