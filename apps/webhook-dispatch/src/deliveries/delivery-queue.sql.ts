import { LEASE_IS_HELD } from '@postern/event-sourcing/postgres';
import { PARTITION_OF_WEBHOOK } from './partition-of-webhook.js';

const DUE = "d.state = 'pending' AND d.next_attempt_at <= now()";

const HELD = "state = 'held', reason = 'the endpoint is disabled'";

const ENDPOINT = 'w.service_id, w.workspace_id, w.url, w.rate_limit, w.ordered, s.current';

/**
 * Reads due deliveries of the partitions `$2` of the dispatcher `$1`, if it owns them, per endpoint up to the limits `$3` (webhooks) and
 * `$4`, or `$5`, without those in progress `$6`. The inner query reads one index per endpoint and stops at the limit, so a backlog of one
 * endpoint costs the others nothing. A delivery that failed holds back the others of a webhook with an order.
 */
export const READ_DUE = `
  WITH served AS MATERIALIZED (
    SELECT partition FROM dispatch_partitions WHERE dispatcher = $1 AND partition = ANY ($2::smallint[])
      AND EXISTS (SELECT FROM event_store.leases WHERE name = $1 AND ${LEASE_IS_HELD})
  )
  SELECT due.id, w.id AS webhook_id, served.partition, ${ENDPOINT}, due.payload, due.attempts, due.traceparent
  FROM webhooks w
  JOIN served ON served.partition = ${PARTITION_OF_WEBHOOK}
  JOIN webhook_secrets s ON s.webhook_id = w.id
  LEFT JOIN unnest($3::uuid[], $4::int[]) AS worker (webhook_id, most) ON worker.webhook_id = w.id
  LEFT JOIN LATERAL (
    SELECT d.id FROM deliveries d
    WHERE w.ordered AND d.webhook_id = w.id AND d.state = 'pending' AND d.attempts > 0 AND d.event_id IS NOT NULL
    ORDER BY d.created_at, d.id LIMIT 1
  ) AS failed ON true
  CROSS JOIN LATERAL (
    (SELECT d.id, d.payload, d.attempts, d.traceparent, d.next_attempt_at FROM deliveries d
     WHERE d.id = failed.id AND ${DUE} AND d.id <> ALL ($6::uuid[]))
    UNION ALL
    (SELECT d.id, d.payload, d.attempts, d.traceparent, d.next_attempt_at FROM deliveries d
     WHERE failed.id IS NULL AND d.webhook_id = w.id AND ${DUE} AND d.id <> ALL ($6::uuid[])
     ORDER BY d.next_attempt_at LIMIT greatest(coalesce(worker.most, $5::int), 0))
  ) AS due
  WHERE w.enabled
  ORDER BY due.next_attempt_at`;

/** Reads the pending delivery `$1` again if it still has `$2` attempts, with the current settings of its endpoint. */
export const READ_AGAIN = `
  SELECT d.id, w.id AS webhook_id, ${ENDPOINT}, d.payload, d.attempts, d.traceparent
  FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN webhook_secrets s ON s.webhook_id = w.id
  WHERE d.id = $1 AND d.attempts = $2 AND d.state = 'pending' AND w.enabled`;

/** A UUID of version 7 from its first 15 characters, so that new rows are adjacent in indexes. */
const newId = (stamp: string): string => `overlay(gen_random_uuid()::text PLACING ${stamp}::text FROM 1)::uuid`;

/**
 * The id of the delivery of the event `e` to the webhook `w`, so that an event that is read again is not queued again. It begins with the
 * time of the event, as a UUID of version 7.
 */
const ID_OF_DELIVERY = `
  (SELECT (left(replace(e.id::text, '-', ''), 12) || '7' || substr(hash, 14, 3) || '8' || substr(hash, 18))::uuid
   FROM md5(e.id::text || w.id::text) AS hash)`;

/**
 * Queues one delivery per event and subscribed endpoint, in the order of the events; deliveries of disabled endpoints are held. Listeners of the
 * services get the events too, up to `$7` that they have not read; the sequence numbers of further events are skipped.
 */
export const ENQUEUE = `
  WITH e AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[]) WITH ORDINALITY
      AS e (id, service_id, kind, payload, traceparent, email_id, line)
  ), begun AS MATERIALIZED (
    -- Unlike now(), after the transaction got the position of its consumer, so that no later event is older.
    SELECT clock_timestamp() - cardinality($1::uuid[]) * interval '1 microsecond' AS at
  ), listening AS MATERIALIZED (
    -- In one order for all replicas, so that none waits for another one in a circle.
    SELECT id, service_id, last_number, read_number FROM webhook_listeners
    WHERE service_id = ANY ($2::uuid[]) AND expires_at > now() ORDER BY id FOR UPDATE
  ), numbered AS MATERIALIZED (
    SELECT l.id AS listener_id, l.read_number, e.payload,
      l.last_number + row_number() OVER (PARTITION BY l.id ORDER BY e.line) AS number
    FROM listening l JOIN e ON e.service_id = l.service_id
  ), stored AS (
    INSERT INTO webhook_listener_events (listener_id, number, payload)
    SELECT listener_id, number, payload FROM numbered WHERE number <= read_number + $7
  ), counted AS (
    UPDATE webhook_listeners l SET last_number = n.number
    FROM (SELECT listener_id, max(number) AS number FROM numbered GROUP BY listener_id) n WHERE l.id = n.listener_id
  )
  INSERT INTO deliveries (id, webhook_id, event_id, email_id, payload, state, reason, created_at, next_attempt_at, traceparent)
  SELECT ${ID_OF_DELIVERY}, w.id, e.id, e.email_id, e.payload,
    CASE WHEN w.enabled THEN 'pending' ELSE 'held' END,
    CASE WHEN w.enabled THEN NULL ELSE 'the endpoint is disabled' END,
    due.at,
    CASE WHEN w.enabled THEN due.at END,
    e.traceparent
  FROM begun, e JOIN webhooks w ON w.service_id = e.service_id AND e.kind = ANY (w.events),
    LATERAL (SELECT begun.at + e.line * interval '1 microsecond' AS at) AS due
  ORDER BY e.line
  ON CONFLICT DO NOTHING`;

/** What two statuses mean, for those who read the delivery log. */
const MEANING = `CASE r.status WHEN 429 THEN ' (too many requests)' WHEN 408 THEN ' (request timeout)' ELSE '' END`;

/** As the schedule says, or later if the endpoint asks for it, within a day of the event. */
const NEXT_ATTEMPT = `greatest(
  now() + make_interval(secs => r.retry_in_ms / 1000),
  -- Unlike an arithmetic expression, least and greatest ignore a null.
  CASE WHEN r.retry_after_ms IS NOT NULL
    THEN least(now() + make_interval(secs => r.retry_after_ms / 1000), d.created_at + interval '24 hours') END)`;

const ACCEPTED = "r.outcome = 'accepted'";

/**
 * Records a batch of attempts, the state of their deliveries, and whether their endpoints keep failing. A failure counts only
 * if no other attempt has been recorded since its delivery was read. An accepted attempt is stored with its delivery, a failed one in `attempts`.
 * `NOT IN` lets the planner expect most rows and hash them; with `IN` and no statistics it expects none and uses nested loops.
 */
export const RECORD_ATTEMPTS = `
  WITH results AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::smallint[], $3::float8[], $4::text[], $5::smallint[], $6::int[], $7::text[], $8::text[], $9::float8[], $10::float8[]
    ) AS r (id, attempts, at_ms, outcome, status, latency_ms, error, response_head, retry_in_ms, retry_after_ms)
  ), settled AS (
    UPDATE deliveries d
    SET attempts = d.attempts + 1,
        state = CASE WHEN ${ACCEPTED} THEN 'accepted' WHEN r.outcome = 'refused' THEN 'refused'
                     WHEN r.retry_in_ms IS NULL THEN 'dropped' WHEN d.state = 'held' THEN 'held' ELSE 'pending' END,
        reason = CASE WHEN ${ACCEPTED} THEN NULL
                      WHEN r.outcome = 'refused' THEN 'the endpoint answered ' || r.status || ${MEANING}
                      WHEN r.retry_in_ms IS NULL THEN 'the last retry failed: ' || coalesce(r.error, 'the endpoint answered ' || r.status)
                      ELSE coalesce(r.error, 'the endpoint answered ' || r.status) END,
        next_attempt_at = CASE WHEN r.outcome = 'retry' THEN ${NEXT_ATTEMPT} END,
        finished_at = CASE WHEN r.outcome <> 'retry' OR r.retry_in_ms IS NULL THEN now() END,
        accepted_at = CASE WHEN ${ACCEPTED} THEN to_timestamp(r.at_ms / 1000) END,
        accepted_status = CASE WHEN ${ACCEPTED} THEN r.status END,
        accepted_latency_ms = CASE WHEN ${ACCEPTED} THEN r.latency_ms END,
        accepted_response = CASE WHEN ${ACCEPTED} THEN r.response_head END
    FROM results r
    WHERE d.id = ANY ($1::uuid[]) AND d.id = r.id AND (d.attempts = r.attempts OR ${ACCEPTED})
      AND d.state NOT IN ('accepted', 'refused', 'dropped')
    RETURNING d.id, d.webhook_id, d.attempts, to_timestamp(r.at_ms / 1000) AS at, r.outcome, r.status, r.latency_ms, r.error, r.response_head
  ), logged AS (
    INSERT INTO attempts (delivery_id, number, at, outcome, status, latency_ms, error, response_head)
    SELECT id, attempts, at, outcome, status, latency_ms, error, response_head FROM settled WHERE outcome <> 'accepted'
  ), recovered AS (
    DELETE FROM failing_webhooks WHERE webhook_id IN (SELECT webhook_id FROM settled WHERE outcome = 'accepted')
  )
  INSERT INTO failing_webhooks (webhook_id, since, latest)
  SELECT webhook_id, min(at), max(at) FROM settled GROUP BY webhook_id HAVING bool_and(outcome <> 'accepted')
  ON CONFLICT (webhook_id) DO UPDATE SET latest = greatest(failing_webhooks.latest, excluded.latest)`;

/** Holds up to `$1` pending deliveries of disabled endpoints. */
export const HOLD_FOR_DISABLED = `
  UPDATE deliveries SET ${HELD} WHERE state = 'pending' AND id = ANY (ARRAY(
    SELECT d.id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE NOT w.enabled AND d.state = 'pending' LIMIT $1
  ))`;

/** Replays delivery `$1` of webhook `$2`. `replay_of` always names the original, also for a replay of a replay. */
export const REPLAY = `
  INSERT INTO deliveries (id, webhook_id, event_id, email_id, payload, state, replay_of, next_attempt_at, traceparent)
  SELECT $3, webhook_id, event_id, email_id, payload, 'pending', coalesce(replay_of, id), now(), $4
  FROM deliveries WHERE id = $1 AND webhook_id = $2
  RETURNING id`;

/**
 * Replays the next `$7` missed deliveries of webhook `$1` after the position `$2`, `$3` that were created by `$6`, or until
 * now if it is null. Returns the last position and the time limit for the next call.
 */
export const REPLAY_MISSED = `
  WITH missed AS MATERIALIZED (
    SELECT d.id, d.webhook_id, d.event_id, d.email_id, d.payload, d.created_at
    FROM deliveries d
    WHERE d.webhook_id = $1 AND (d.created_at, d.id) > ($2::timestamptz, $3::uuid)
      AND d.created_at <= coalesce($6::timestamptz, now()) AND d.replay_of IS NULL AND d.event_id IS NOT NULL
      AND d.state = ANY ($8::text[])
      AND NOT EXISTS (SELECT 1 FROM deliveries r WHERE r.replay_of = d.id AND r.state IN ('pending', 'accepted'))
    ORDER BY d.created_at, d.id
    LIMIT $7
  ), replayed AS (
    INSERT INTO deliveries (id, webhook_id, event_id, email_id, payload, state, replay_of, next_attempt_at, traceparent)
    SELECT ${newId('$5')}, webhook_id, event_id, email_id, payload, 'pending', id, now(), $4
    FROM missed ORDER BY missed.created_at
  )
  SELECT count(*) OVER ()::int AS replayed, created_at::text AS created_at, id,
    coalesce($6::timestamptz, now())::text AS until
  FROM missed ORDER BY missed.created_at DESC, id DESC LIMIT 1`;

/**
 * Examines at most `$4` deliveries between the ids `$2` and `$3`, which begin with the time, and deletes those finished
 * before `$1` with their attempts.
 */
export const PURGE = `
  WITH old AS MATERIALIZED (
    SELECT id FROM deliveries WHERE id > $2::uuid AND id < $3::uuid ORDER BY id LIMIT $4
  ), purged AS (
    DELETE FROM deliveries WHERE id = ANY (ARRAY(SELECT id FROM old)) AND finished_at < $1 RETURNING id
  ), purged_attempts AS (
    DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM purged)
  )
  SELECT (SELECT count(*)::int FROM old) AS examined, (SELECT count(*)::int FROM purged) AS purged,
    (SELECT id FROM old ORDER BY id DESC LIMIT 1) AS last`;

/**
 * Queues a delivery `$1` without an event to the webhook `$2`, with the payload `$3` and the trace `$4`. The caller attempts it now; its
 * dispatcher would after half a minute.
 */
export const ENQUEUE_TEST = `
  WITH d AS (
    INSERT INTO deliveries (id, webhook_id, payload, state, next_attempt_at, traceparent)
    VALUES ($1, $2, $3, 'pending', now() + interval '30 seconds', $4)
    RETURNING id, webhook_id, payload, attempts, traceparent
  )
  SELECT d.id, d.webhook_id, ${ENDPOINT}, d.payload, d.attempts, d.traceparent
  FROM d JOIN webhooks w ON w.id = d.webhook_id JOIN webhook_secrets s ON s.webhook_id = w.id`;

/** Enabled webhooks that have failed for `$1` days. Prisma cannot compare two columns with an interval. */
export const FIND_FAILING_WEBHOOKS = `
  SELECT f.webhook_id, f.since FROM failing_webhooks f JOIN webhooks w ON w.id = f.webhook_id
  WHERE f.latest - f.since >= make_interval(days => $1) AND w.enabled`;

/** Counts due deliveries up to `$1`, so that a large backlog stays cheap to measure. */
export const MEASURE_DUE = `
  SELECT count(*)::int AS deliveries, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS seconds
  FROM (SELECT d.next_attempt_at FROM deliveries d WHERE ${DUE} LIMIT $1) AS due`;
