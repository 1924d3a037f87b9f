import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/** Calls are counted by quarter seconds, in which a key may have any number of calls: their rows have a bounded size. */
const SLOTS_PER_SECOND = 4;
const SLOTS_PER_MINUTE = 60 * SLOTS_PER_SECOND;
const NOW = 'extract(epoch FROM clock_timestamp())';
const SLOT = `floor(${NOW} * ${SLOTS_PER_SECOND})::bigint`;

const KNOWN_KEYS = `
  SELECT k.*, m.role, batch.counted,
    CASE WHEN u.disabled_at IS NOT NULL THEN 'user_disabled' WHEN m.user_id IS NULL THEN 'member_removed'
      WHEN k.expires_at <= now() THEN 'platform_key_expired' END AS refused
  FROM unnest($1::text[], $2::integer[]) AS batch (key_hash, counted)
  JOIN platform_keys k USING (key_hash) JOIN credentials u ON u.user_id = k.user_id
  LEFT JOIN memberships m
    ON m.user_id = k.user_id AND m.workspace_id = k.workspace_id AND m.joined_at <= k.created_at`;

const KEY_COLUMNS = `k.key_hash, k.id, k.user_id, k.workspace_id, k.name, k.key_prefix, k.scope, k.expires_at,
    k.projects, k.operations, k.role, k.refused`;

/**
 * Looks up a batch of calls, and counts those whose key is not refused: at most `$3` calls of a key in any 60 seconds. A
 * call beyond the limit is not counted. `reset_s` are the seconds until the oldest counted call is a minute ago. Keys are
 * locked in the order of their ids, so that two batches cannot deadlock; the clock is read under the lock.
 */
export const ADMIT_CALLS = `
  WITH known AS (${KNOWN_KEYS}
  ), counts AS (
    INSERT INTO platform_call_counts AS c (key_id, slots, slot_calls, beyond_limit)
    SELECT id, ARRAY[${SLOT}], ARRAY[least(counted, $3::integer)], greatest(counted - $3::integer, 0)
    FROM known WHERE counted > 0 AND refused IS NULL ORDER BY id
    ON CONFLICT (key_id) DO UPDATE SET (slots, slot_calls, beyond_limit) = (
      SELECT array_agg(slot ORDER BY slot), array_agg(calls ORDER BY slot), max(beyond)
      FROM (
        WITH past AS MATERIALIZED (
          SELECT slot, calls FROM unnest(c.slots, c.slot_calls) AS counted (slot, calls), (SELECT ${SLOT} AS present) AS clock
          WHERE slot BETWEEN present - ${SLOTS_PER_MINUTE} AND present
        ), asked AS MATERIALIZED (
          SELECT excluded.slot_calls[1] + excluded.beyond_limit AS calls,
            greatest($3::integer - coalesce((SELECT sum(calls) FROM past), 0), 0)::integer AS free, ${SLOT} AS slot
        ), granted AS (
          SELECT slot, least(calls, free) AS calls, calls - least(calls, free) AS beyond FROM asked
        )
        SELECT slot, sum(calls)::integer AS calls, max(beyond) AS beyond
        FROM (SELECT slot, calls, 0 AS beyond FROM past UNION ALL SELECT slot, calls, beyond FROM granted) AS counted
        GROUP BY slot HAVING sum(calls) > 0 OR max(beyond) > 0
      ) AS merged
    )
    RETURNING key_id, slots, beyond_limit, (SELECT sum(calls) FROM unnest(slot_calls) AS calls)::integer AS calls
  )
  SELECT ${KEY_COLUMNS}, counts.calls + counts.beyond_limit AS used,
    least(60, greatest(1, ceil((counts.slots[1] + ${SLOTS_PER_MINUTE} + 1)::numeric / ${SLOTS_PER_SECOND} - ${NOW})))::integer
      AS reset_s
  FROM known k LEFT JOIN counts ON counts.key_id = k.id`;

/** The same lookup for a batch in which no call is counted. */
export const ADMIT_UNCOUNTED_CALLS = `
  SELECT ${KEY_COLUMNS}, NULL::integer AS used, NULL::integer AS reset_s
  FROM (${KNOWN_KEYS}
  ) k`;

export const SAVE_LAST_USES = `
  INSERT INTO platform_key_uses AS u (key_id, last_used_at)
  SELECT id, at FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at) JOIN platform_keys USING (id) ORDER BY id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`;

export const INSERT_KEY = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('platform_keys')}
    (id, user_id, workspace_id, name, key_hash, key_prefix, scope, expires_at, created_at,
     projects, operations)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

export const DELETE_KEYS_OF = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('platform_keys')} WHERE workspace_id = $1`;

export const DELETE_KEY = ({ table }: ProjectionTables) => `DELETE FROM ${table('platform_keys')} WHERE id = $1`;
