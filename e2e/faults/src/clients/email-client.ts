import { randomUUID } from 'node:crypto';
import type { Attempt, EmailRecord } from '../observed-traffic.js';
import type { SeededRandom } from '../run/random.js';

/** Longer than any deadline that Postern promises. */
const NO_ANSWER_AFTER_MS = 65_000;
/** The pauses before each retry that the specification recommends, with jitter. */
const RETRY_PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
const JITTER = 0.25;
const LONGEST_RETRY_AFTER_S = 30;

/** Base URL and API key for the email API. */
export interface EmailApi {
  readonly baseUrl: string;
  readonly apiKey: string;
}

interface Answered extends Attempt {
  readonly retryAfterMs: number;
}

const recordIn = (body: unknown): EmailRecord | null => {
  const { id, status, message } = (body ?? {}) as Record<string, unknown>;
  return typeof id === 'string' && typeof status === 'string' ? { id, status, message: String(message) } : null;
};

const attemptOnce = async (api: EmailApi, body: string, key: string | undefined): Promise<Answered> => {
  const startedAt = Date.now();
  try {
    const response = await fetch(`${api.baseUrl}/emails`, {
      method: 'POST',
      headers: {
        'api-key': api.apiKey,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body,
      signal: AbortSignal.timeout(NO_ANSWER_AFTER_MS),
    });
    const answer = (await response.json().catch(() => null)) as Record<string, unknown> | null;
    const retryAfterS = Math.min(LONGEST_RETRY_AFTER_S, Number(response.headers.get('retry-after') ?? 0) || 0);
    return {
      startedAt,
      endedAt: Date.now(),
      status: response.status,
      emailId: response.headers.get('email-id'),
      record: response.ok ? recordIn(answer) : null,
      error: response.ok ? null : String(answer?.['error'] ?? ''),
      retryAfterMs: retryAfterS * 1_000,
    };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    const why = cause?.message ?? message;
    return { startedAt, endedAt: Date.now(), status: null, emailId: null, record: null, error: why, retryAfterMs: 0 };
  }
};

/** Whether to retry. A lost connection is retried only with an Idempotency-Key; 5xx and 429 always. */
const isRetried = ({ status }: Attempt, keyed: boolean): boolean =>
  status === null ? keyed : status >= 500 || status === 429;

/** Sends one message with the retries that the specification recommends; reports every attempt to `note` when it ends. */
export const sendWithRetries = async (
  api: EmailApi,
  body: string,
  keyed: boolean,
  random: SeededRandom,
  note: (attempt: Attempt) => void,
): Promise<void> => {
  const key = keyed ? randomUUID() : undefined;
  for (const pauseMs of [...RETRY_PAUSES_MS, null]) {
    const { retryAfterMs, ...attempt } = await attemptOnce(api, body, key);
    note(attempt);
    if (pauseMs === null || !isRetried(attempt, keyed)) return;
    const jittered = pauseMs * (1 - JITTER + 2 * JITTER * random.next());
    await new Promise(resolve => setTimeout(resolve, Math.max(jittered, retryAfterMs)));
  }
};

/** A single attempt, for probes. */
export const sendOnce = async (api: EmailApi, body: string, key?: string): Promise<Attempt> => {
  const { retryAfterMs: _, ...attempt } = await attemptOnce(api, body, key);
  return attempt;
};
