import type * as contracts from '@postern/contracts';
import type { Refusal, RequestContract } from '@postern/contracts';
import type { z } from 'zod';

type Contracts = typeof contracts;

/** Every code that any request contract declares; a new one does not compile until the table below places it. */
export type RefusalCode = {
  [Name in keyof Contracts]: Contracts[Name] extends RequestContract<z.ZodType, z.ZodType, infer Code> ? Code : never;
}[keyof Contracts];

/** The one place where codes of services become HTTP. */
export const STATUS_OF_REFUSAL: Readonly<Record<RefusalCode, number>> = {
  api_key_invalid: 401,
  session_invalid: 401,
  credentials_wrong: 401,
  platform_key_invalid: 401,

  service_disabled: 403,
  not_an_operator: 403,
  insufficient_scope: 403,
  service_blocked: 403,
  service_suspended: 403,

  invalid_email: 400,
  invalid_input: 400,
  invalid_url: 400,
  recipient_not_verified: 400,
  code_wrong: 400,
  code_expired: 400,
  nothing_to_start: 400,
  never_ran: 400,
  deployment_never_live: 400,

  email_not_found: 404,
  service_not_found: 404,
  api_key_not_found: 404,
  domain_not_found: 404,
  recipient_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  suppression_not_found: 404,
  erasure_not_found: 404,
  user_not_found: 404,
  workspace_not_found: 404,
  platform_key_not_found: 404,
  project_not_found: 404,
  web_service_not_found: 404,
  deployment_not_found: 404,
  variable_not_found: 404,
  project_secret_not_found: 404,
  database_not_found: 404,
  nothing_to_report: 404,

  idempotency_key_reused: 409,
  idempotency_key_in_flight: 409,
  domain_exists: 409,
  recipient_exists: 409,
  user_exists: 409,
  rotation_under_way: 409,
  no_next_secret: 409,
  webhook_disabled: 409,
  too_many_webhooks: 409,
  deployment_over: 409,
  technology_missing: 409,

  daily_limit_reached: 429,
  minute_limit_reached: 429,
  too_many_codes: 429,
  too_many_attempts: 429,
  rate_limit_reached: 429,

  relay_unavailable: 503,
  outcome_unknown: 503,
  deadline_passed: 503,
};

/** Seconds after which a caller may try again where the service does not say. */
const DEFAULT_RETRY_AFTER_S = { 409: undefined, 429: 60, 503: 5 } as const;

/** Codes about what `Authorization: Bearer` carries. */
const BEARERS: ReadonlySet<string> = new Set<RefusalCode>(['platform_key_invalid', 'session_invalid']);

/** Undefined for a code that no contract declares: a bug of the service that sent it. */
export const statusOf = (refusal: Refusal): number | undefined =>
  Object.hasOwn(STATUS_OF_REFUSAL, refusal.code) ? STATUS_OF_REFUSAL[refusal.code as RefusalCode] : undefined;

/** `Retry-After` for what passes by itself, the standing of the limit where the refusal carries it, and the scheme of a 401. */
export const headersOf = (refusal: Refusal, status: number): Record<string, string> => {
  const headers = rateLimitHeaders(refusal.details['rate_limit']);
  const said = refusal.details['retry_after_s'];
  const retryAfterS =
    typeof said === 'number'
      ? Math.max(1, Math.ceil(said))
      : refusal.code === 'idempotency_key_in_flight'
        ? 1
        : DEFAULT_RETRY_AFTER_S[status as keyof typeof DEFAULT_RETRY_AFTER_S];
  if (retryAfterS !== undefined) headers['retry-after'] = String(retryAfterS);
  const emailId = refusal.details['email_id'];
  if (refusal.code === 'outcome_unknown' && typeof emailId === 'string') headers['email-id'] = emailId;
  if (BEARERS.has(refusal.code)) headers['www-authenticate'] = 'Bearer';
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
