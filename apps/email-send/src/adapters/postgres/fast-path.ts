import type { Append } from '@postern/event-sourcing';
import { APPEND, appendArguments } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { oneMore, standing } from '../../domain/email-limits.js';
import type { EmailRecord } from '../../domain/email-record.js';
import { recognisedDeadlines } from '../../domain/idempotency.js';
import type { Admission, AdmissionRequest } from '../../ports.js';
import { claimColumns } from './idempotency-claims.js';
import { messageColumns } from './message-rows.js';
import { UsageCounters, type UsageRow } from './usage-counters.js';

/**
 * The fast path: what nearly every batch comes to, each kind in a single statement, which is one round trip and a
 * transaction by itself. A batch in which anything has to be decided changes nothing here and takes the slow path.
 */

/** SQLSTATE of the function `admit_emails` for a batch that needs decisions. */
const NEEDS_DECISIONS = 'PS001';

const ADMIT = `SELECT * FROM admit_emails(${Array.from({ length: 28 }, (_, place) => `$${place + 1}`).join(', ')})`;

/**
 * Admits a whole batch; undefined, and nothing changed, where a request repeats another one, a key is taken or a limit
 * would be passed.
 */
export async function admitFast(
  pool: pg.Pool,
  batch: readonly AdmissionRequest[],
  appends: readonly Append[],
  instanceId: string,
): Promise<Admission[] | undefined> {
  const claims = claimColumns(batch);
  if (!claims) return undefined;
  const usage = UsageCounters.of(batch.map(request => ({ ...request, counts: request.facts.counts })));
  const recognised = recognisedDeadlines(new Date());
  try {
    const { rows } = await pool.query<UsageRow>({
      name: 'admit-emails',
      text: ADMIT,
      values: [
        ...appendArguments(appends),
        ...claims,
        ...usage.columns(),
        ...messageColumns(batch),
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
    const after = oneMore(usage.of(request), request.facts.counts);
    usage.set(request, after);
    return { kind: 'admitted', rateLimit: standing(after, request.at) };
  });
}

const CONCLUDE = `
  WITH appended AS MATERIALIZED (SELECT append_index, admitted FROM ${APPEND}),
  kept AS (
    INSERT INTO emails (id, service_id, record)
    SELECT id, service_id, record
    FROM unnest($11::uuid[], $12::uuid[], $13::text[]) WITH ORDINALITY AS concluded (id, service_id, record, place)
    JOIN appended ON append_index = place WHERE admitted
  )
  SELECT append_index FROM appended WHERE NOT admitted`;

/** Records the outcomes of messages and their answers. Answers the places of those whose stream has moved on. */
export async function concludeFast(
  pool: pg.Pool,
  records: readonly { readonly serviceId: string; readonly record: EmailRecord }[],
  appends: readonly Append[],
): Promise<number[]> {
  const { rows } = await pool.query<{ append_index: number }>({
    name: 'conclude-emails',
    text: CONCLUDE,
    values: [
      ...appendArguments(appends),
      records.map(({ record }) => record.id),
      records.map(({ serviceId }) => serviceId),
      records.map(({ record }) => JSON.stringify(record)),
    ],
  });
  return rows.map(({ append_index }) => append_index - 1);
}
