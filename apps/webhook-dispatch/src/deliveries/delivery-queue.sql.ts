const LEASE = `claimed_until = now() + make_interval(secs => $1::float8 / 1000), fence = $2`;

/** What is due and under no lease. */
export const DUE = `
  d.state = 'pending' AND d.next_attempt_at <= now() AND (d.claimed_until IS NULL OR d.claimed_until <= now())`;

const CLAIMED = 'd.id, d.webhook_id, d.fence, w.url, s.current, d.payload, d.attempts, d.traceparent';

/**
 * Endpoints with something due, each with at most its free places. The inner query touches one index per endpoint and
 * stops at the places, so an endpoint with half a million due rows costs and gets no more than one with a handful. The
 * array keeps the planner from joining the whole queue to find a few rows of it; rows that are locked stay where they are.
 *
 * A lease need not survive the server: one that is lost ends early, and a report that is durable makes the lease before
 * it durable too. So nobody waits for the disk here.
 */
export const CLAIM = `
  WITH unhurried AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true)
  ), picked AS MATERIALIZED (
    SELECT due.place
    FROM unhurried, webhooks w
    LEFT JOIN unnest($3::uuid[], $4::int[]) AS lane (webhook_id, free) ON lane.webhook_id = w.id
    CROSS JOIN LATERAL (
      SELECT d.ctid AS place FROM deliveries d
      WHERE d.webhook_id = w.id AND ${DUE}
      ORDER BY d.next_attempt_at
      LIMIT greatest(coalesce(lane.free, $5::int), 0)
      FOR UPDATE SKIP LOCKED
    ) due
    WHERE w.enabled
  ), claimed AS (
    UPDATE deliveries d
    SET ${LEASE}
    FROM webhooks w, webhook_secrets s
    WHERE d.ctid = ANY (ARRAY(SELECT place FROM picked)) AND w.id = d.webhook_id AND s.webhook_id = d.webhook_id
    RETURNING ${CLAIMED}, d.next_attempt_at AS due_at
  )
  SELECT id, webhook_id, fence, url, current, payload, attempts, traceparent FROM claimed ORDER BY due_at`;

export const CLAIM_ONE = `
  UPDATE deliveries d
  SET ${LEASE}
  FROM webhooks w, webhook_secrets s
  WHERE d.id = $3 AND ${DUE} AND w.id = d.webhook_id AND w.enabled AND s.webhook_id = d.webhook_id
  RETURNING ${CLAIMED}`;

/** Ids that begin with the time, as UUIDs of version 7 do: new rows lie side by side in every index of ids. */
const newId = (stamp: string): string => `overlay(gen_random_uuid()::text PLACING ${stamp}::text FROM 1)::uuid`;

/** One delivery for each event and endpoint that wants to know of it; a disabled one finds its events when it is back. */
export const QUEUE = `
  INSERT INTO deliveries (id, webhook_id, event_id, payload, state, reason, next_attempt_at, traceparent)
  SELECT ${newId('$6')}, w.id, e.id, e.payload,
    CASE WHEN w.enabled THEN 'pending' ELSE 'held' END,
    CASE WHEN w.enabled THEN NULL ELSE 'the endpoint is disabled' END,
    CASE WHEN w.enabled THEN now() END,
    e.traceparent
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
    AS e (id, service_id, kind, payload, traceparent, line)
  JOIN webhooks w ON w.service_id = e.service_id AND e.kind = ANY (w.events)
  ORDER BY e.line
  ON CONFLICT DO NOTHING`;

/**
 * One statement, one transaction: the attempt, what follows for its delivery, and how its endpoint fares. The states are
 * asked for by what they are not: without statistics PostgreSQL takes that to be most rows and hashes them, the other
 * way round it takes them to be none and compares every row with every other.
 */
export const REPORT = `
  WITH reported AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::bigint[], $3::float8[], $4::text[], $5::smallint[], $6::int[], $7::text[], $8::text[], $9::float8[]
    ) AS r (id, fence, at_ms, outcome, status, latency_ms, error, response_head, retry_in_ms)
  ), settled AS (
    UPDATE deliveries d
    SET attempts = d.attempts + 1,
        state = CASE WHEN r.outcome = 'accepted' THEN 'accepted' WHEN r.outcome = 'refused' THEN 'refused'
                     WHEN r.retry_in_ms IS NULL THEN 'dropped' WHEN d.state = 'held' THEN 'held' ELSE 'pending' END,
        reason = CASE WHEN r.outcome = 'accepted' THEN NULL
                      WHEN r.outcome = 'refused' THEN 'the endpoint answered ' || r.status
                      WHEN r.retry_in_ms IS NULL THEN 'the last retry failed: ' || coalesce(r.error, 'the endpoint answered ' || r.status)
                      ELSE coalesce(r.error, 'the endpoint answered ' || r.status) END,
        next_attempt_at = CASE WHEN r.outcome = 'retry' THEN now() + make_interval(secs => r.retry_in_ms / 1000) END,
        claimed_until = NULL,
        finished_at = CASE WHEN r.outcome <> 'retry' OR r.retry_in_ms IS NULL THEN now() END
    FROM reported r
    WHERE d.id = ANY ($1::uuid[]) AND d.id = r.id AND d.fence = r.fence AND d.state NOT IN ('accepted', 'refused', 'dropped')
    RETURNING d.id, d.webhook_id, d.attempts, to_timestamp(r.at_ms / 1000) AS at, r.outcome, r.status, r.latency_ms, r.error, r.response_head
  ), logged AS (
    INSERT INTO attempts (delivery_id, number, at, outcome, status, latency_ms, error, response_head)
    SELECT id, attempts, at, outcome, status, latency_ms, error, response_head FROM settled
  ), recovered AS (
    DELETE FROM failing_webhooks WHERE webhook_id IN (SELECT webhook_id FROM settled WHERE outcome = 'accepted')
  )
  INSERT INTO failing_webhooks (webhook_id, since, latest)
  SELECT webhook_id, min(at), max(at) FROM settled GROUP BY webhook_id HAVING bool_and(outcome <> 'accepted')
  ON CONFLICT (webhook_id) DO UPDATE SET latest = greatest(failing_webhooks.latest, excluded.latest)`;

const HELD = "state = 'held', reason = 'the endpoint is disabled'";

/** Holds the first of the pending deliveries of a webhook; the rest is held in steps, so that no feed waits for them. */
export const HOLD = `
  UPDATE deliveries SET ${HELD} WHERE state = 'pending' AND id = ANY (ARRAY(
    SELECT id FROM deliveries WHERE webhook_id = $1 AND state = 'pending' LIMIT 1000
  ))`;

/** Holds some of what is pending for disabled endpoints. */
export const HOLD_FOR_DISABLED = `
  UPDATE deliveries SET ${HELD} WHERE state = 'pending' AND id = ANY (ARRAY(
    SELECT d.id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE NOT w.enabled AND d.state = 'pending' LIMIT $1
  ))`;

/** `replay_of` always names the first delivery of the event, so that a replay of a replay is found with it. */
export const REPLAY = `
  INSERT INTO deliveries (id, webhook_id, event_id, payload, state, replay_of, next_attempt_at, traceparent)
  SELECT $3, webhook_id, event_id, payload, 'pending', coalesce(replay_of, id), now(), $4
  FROM deliveries WHERE id = $1 AND webhook_id = $2
  RETURNING id`;

export const REPLAY_SINCE = `
  INSERT INTO deliveries (id, webhook_id, event_id, payload, state, replay_of, next_attempt_at, traceparent)
  SELECT ${newId('$4')}, d.webhook_id, d.event_id, d.payload, 'pending', d.id, now(), $3
  FROM deliveries d
  WHERE d.webhook_id = $1 AND d.created_at >= $2 AND d.replay_of IS NULL AND d.event_id IS NOT NULL
    AND d.state IN ('refused', 'dropped', 'held')
    AND NOT EXISTS (SELECT 1 FROM deliveries r WHERE r.replay_of = d.id AND r.state IN ('pending', 'accepted'))
  ORDER BY d.created_at`;

export const FIND = `
  SELECT d.*, coalesce((
    SELECT json_agg(a ORDER BY a.number) FROM attempts a WHERE a.delivery_id = d.id
  ), '[]') AS attempt_log
  FROM deliveries d`;

/** Some of the deliveries that ended long ago, by way of the blocks that are old enough to hold any. */
export const PURGE = `
  WITH gone AS (
    DELETE FROM deliveries WHERE id = ANY (ARRAY(
      SELECT id FROM deliveries WHERE created_at < $1 AND finished_at < $1 LIMIT $2
    )) RETURNING id
  ), forgotten AS (
    DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM gone)
  )
  SELECT id FROM gone`;
