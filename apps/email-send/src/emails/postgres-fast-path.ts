import type { Append } from '@postern/event-sourcing';
import { appendArguments } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { countOneMore, rateLimitOf } from '../email-services/email-limits.js';
import type { BodySeal } from './body-seal.js';
import type { EmailRecord } from './email.js';
import { ADMIT_EMAILS, CLOSE_OPEN_REQUESTS, CONCLUDE_EMAILS } from './emails.sql.js';
import { recognisedDeadlines } from './idempotency.js';
import type { Admission, AdmissionRequest } from './ports.js';
import { claimColumns } from './postgres-idempotency-keys.js';
import { UsageCounters, type UsageRow } from './postgres-usage-counters.js';

/** The process that admits messages, and how it seals their bodies. */
export interface AdmissionWriter {
  readonly instanceId: string;
  readonly seal: BodySeal;
}

/** Ids, sealed bodies and their key, fingerprints and deadlines as columns. A request with an idempotency key has no fingerprint. */
export const messageColumns = (admitted: readonly AdmissionRequest[], seal: BodySeal): unknown[] => [
  admitted.map(({ facts }) => facts.email_id),
  admitted.map(({ facts, body }) => seal.seal(facts.email_id, body)),
  seal.keyId,
  admitted.map(({ idempotencyKey, fingerprint }) => (idempotencyKey === undefined ? fingerprint : null)),
  admitted.map(({ answerBy }) => answerBy),
];

/** SQLSTATE of the function `admit_emails` for a batch that needs decisions. */
const NEEDS_DECISIONS = 'PS001';

/**
 * The fast path: admits a whole batch with one statement, in one round trip. Returns undefined, having changed nothing,
 * when a request repeats another one, a key is taken or a limit would be exceeded; the slow path decides then.
 */
export async function admitBatch(
  pool: pg.Pool,
  batch: readonly AdmissionRequest[],
  appends: readonly Append[],
  { instanceId, seal }: AdmissionWriter,
): Promise<Admission[] | undefined> {
  const claims = claimColumns(batch);
  if (!claims) return undefined;
  const usage = UsageCounters.of(batch);
  const recognised = recognisedDeadlines(latestOf(batch));
  try {
    const { rows } = await pool.query<UsageRow>({
      name: 'admit-emails',
      text: ADMIT_EMAILS,
      values: [
        ...appendArguments(appends),
        ...claims,
        ...usage.columns(),
        ...messageColumns(batch, seal),
        instanceId,
        recognised.after,
        recognised.until,
      ],
    });
    usage.counted(rows);
  } catch (error) {
    if ((error as { code?: unknown }).code === NEEDS_DECISIONS) return undefined;
    throw error;
  }
  return batch.map(request => {
    const after = countOneMore(usage.of(request), request.facts.counts);
    usage.set(request, after);
    return { kind: 'admitted', rateLimit: rateLimitOf(after, request.at) };
  });
}

/** When the last request of a batch was read, by the clock of the database. */
const latestOf = (batch: readonly Pick<AdmissionRequest, 'at'>[]): Date =>
  new Date(Math.max(...batch.map(({ at }) => at.getTime())));

/** Appends outcomes and stores records with one statement. Returns the indexes whose stream has changed meanwhile. */
export async function concludeBatch(
  pool: pg.Pool,
  records: readonly { readonly serviceId: string; readonly record: EmailRecord }[],
  appends: readonly Append[],
): Promise<number[]> {
  const { rows } = await pool.query<{ append_index: number }>({
    name: 'conclude-emails',
    text: CONCLUDE_EMAILS,
    values: [
      ...appendArguments(appends),
      records.map(({ record }) => record.id),
      records.map(({ serviceId }) => serviceId),
      records.map(({ record }) => JSON.stringify(record)),
    ],
  });
  return rows.map(({ append_index }) => append_index - 1);
}

const GATHER_MS = 200;
/** Rows deleted per statement. */
const BATCH = 1_000;
/** Confirmations kept while the database is unavailable. */
const CAPACITY = 100_000;

/** Deletes open requests whose answers were received, in batches and in the background. */
export class AnswerConfirmations {
  #received: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(private readonly pool: pg.Pool) {}

  add(emailId: string): void {
    if (this.#received.length < CAPACITY) this.#received.push(emailId);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Deletes everything confirmed so far; failures are retried with the next flush. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing;
    this.#flushing = this.#flush();
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    while (this.#received.length > 0) {
      const ids = this.#received.splice(0, BATCH);
      try {
        await this.pool.query({ name: 'close-open-requests', text: CLOSE_OPEN_REQUESTS, values: [ids] });
      } catch {
        // A row that remains recognises retries for eleven minutes and is purged after that.
        this.#received.push(...ids);
        return;
      }
    }
  }
}
