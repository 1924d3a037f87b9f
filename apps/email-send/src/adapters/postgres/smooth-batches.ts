import type { Append } from '@postern/event-sourcing';
import { APPEND, appendArguments } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { oneMore, standing } from '../../domain/email-limits.js';
import type { EmailRecord } from '../../domain/email-record.js';
import type { Admission, AdmissionRequest } from '../../ports.js';
import { claimColumns, claimSql } from './idempotency-claims.js';
import { UsageCounters, type UsageRow } from './usage-counters.js';

/**
 * What nearly every batch comes to, each kind in a single statement: one round trip, and a transaction by itself.
 * A batch in which anything else comes up changes nothing here, and goes the long way.
 */

/** SQLSTATE division_by_zero: how the statement undoes itself. */
const NOT_SMOOTH = '22012';

// Keys before counters, as on the long way, so that two batches never wait for each other. The events come last, once
// everybody is known to be let in.
const ADMIT = `
  WITH claimed AS (${claimSql(11)}),
  counted AS (
    INSERT INTO sending_usage AS usage (service_id, period, starts_at, used)
    SELECT service_id, period, starts_at, by
    FROM unnest($16::uuid[], $17::text[], $18::timestamptz[], $19::integer[]) AS due (service_id, period, starts_at, by)
    WHERE (SELECT count(*) FROM claimed) = cardinality($14)
    ON CONFLICT (service_id, period, starts_at) DO UPDATE SET used = greatest(0, usage.used + excluded.used)
    RETURNING service_id, period, starts_at, used
  ), verdict AS (
    SELECT count(*) = cardinality($16) AND coalesce(bool_and(used <= coalesce(due.most, used)), true) AS all_let_in
    FROM counted JOIN unnest($16::uuid[], $17::text[], $18::timestamptz[], $20::bigint[])
      AS due (service_id, period, starts_at, most) USING (service_id, period, starts_at)
  ), appended AS MATERIALIZED (
    SELECT CASE WHEN all_let_in THEN (SELECT count(*) FROM ${APPEND}) ELSE 1 / all_let_in::integer END AS events
    FROM verdict
  ), bodies AS (
    INSERT INTO email_bodies (email_id, content) SELECT * FROM unnest($21::uuid[], $22::text[])
  ), under_way AS (
    INSERT INTO emails_in_flight (email_id, instance_id) SELECT unnest($21::uuid[]), $23
  )
  SELECT appended.events, counted.* FROM appended LEFT JOIN counted ON true`;

/** Lets a whole batch in; undefined, and nothing changed, where a key is taken or a limit would be passed. */
export async function admitSmoothly(
  pool: pg.Pool,
  batch: readonly AdmissionRequest[],
  appends: readonly Append[],
  instanceId: string,
): Promise<Admission[] | undefined> {
  const claims = claimColumns(batch);
  if (!claims) return undefined;
  const usage = UsageCounters.of(batch.map(request => ({ ...request, counts: request.facts.counts })));
  try {
    const { rows } = await pool.query<UsageRow>({
      name: 'admit-smoothly',
      text: ADMIT,
      values: [
        ...appendArguments(appends),
        ...claims,
        ...usage.columns(),
        batch.map(({ facts }) => facts.email_id),
        batch.map(({ body }) => JSON.stringify(body)),
        instanceId,
      ],
    });
    usage.counted(rows);
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_SMOOTH) return undefined;
    throw error;
  }
  return batch.map(request => {
    const after = oneMore(usage.of(request), request.facts.counts);
    usage.set(request, after);
    return { kind: 'admitted', rateLimit: standing(after, request.at) };
  });
}

const CLOSE = `
  WITH appended AS MATERIALIZED (SELECT append_index, admitted FROM ${APPEND}),
  ours AS MATERIALIZED (
    SELECT id, service_id, record
    FROM unnest($11::uuid[], $12::uuid[], $13::text[]) WITH ORDINALITY AS told (id, service_id, record, place)
    JOIN appended ON append_index = place WHERE admitted
  ), closed AS (
    DELETE FROM emails_in_flight WHERE email_id = ANY (ARRAY(SELECT id FROM ours))
  ), kept AS (
    INSERT INTO emails (id, service_id, record) SELECT id, service_id, record FROM ours
  )
  SELECT $11[append_index] AS id FROM appended WHERE NOT admitted`;

/** Ends the hand-over of messages and keeps their answers; answers the ids of those that somebody else had closed. */
export async function closeSmoothly(
  pool: pg.Pool,
  records: readonly { readonly serviceId: string; readonly record: EmailRecord }[],
  appends: readonly Append[],
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'close-smoothly',
    text: CLOSE,
    values: [
      ...appendArguments(appends),
      records.map(({ record }) => record.id),
      records.map(({ serviceId }) => serviceId),
      records.map(({ record }) => JSON.stringify(record)),
    ],
  });
  return rows.map(({ id }) => id);
}
