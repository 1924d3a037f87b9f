/** Parameters `$1` lease in milliseconds, `$2` fencing token. */
const LEASE = `claimed_until = now() + make_interval(secs => $1::float8 / 1000), fence = $2`;

/** Due and not leased. */
const DUE = `
  d.state = 'pending' AND d.next_attempt_at <= now() AND (d.claimed_until IS NULL OR d.claimed_until <= now())`;

const HELD = "state = 'held', reason = 'the endpoint is disabled'";

const CLAIMED =
  'd.id, d.webhook_id, w.service_id, coalesce(w.workspace_id, w.service_id) AS workspace_id, d.fence, w.url, s.current, d.payload, d.attempts, d.traceparent';

/**
 * Claims due deliveries, per endpoint up to the limits `$3` (webhooks) and `$4`, or `$5`. The inner query reads one index
 * per endpoint and stops at the limit, so a backlog of one endpoint costs the others nothing.
 */
export const CLAIM = `
  -- A lease lost in a crash only ends early, so the commit need not wait for the disk.
  WITH asynchronous AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true)
  ), picked AS MATERIALIZED (
    SELECT due.place
    FROM asynchronous, webhooks w
    LEFT JOIN unnest($3::uuid[], $4::int[]) AS worker (webhook_id, claim_limit) ON worker.webhook_id = w.id
    CROSS JOIN LATERAL (
      SELECT d.ctid AS place FROM deliveries d
      WHERE d.webhook_id = w.id AND ${DUE}
      ORDER BY d.next_attempt_at
      LIMIT greatest(coalesce(worker.claim_limit, $5::int), 0)
      FOR UPDATE SKIP LOCKED
    ) due
    WHERE w.enabled
  ), claimed AS (
    UPDATE deliveries d
    SET ${LEASE}
    FROM webhooks w, webhook_secrets s
    -- The array keeps the planner from joining the whole queue.
    WHERE d.ctid = ANY (ARRAY(SELECT place FROM picked)) AND w.id = d.webhook_id AND s.webhook_id = d.webhook_id
    RETURNING ${CLAIMED}, d.next_attempt_at AS due_at
  )
  SELECT id, webhook_id, service_id, workspace_id, fence, url, current, payload, attempts, traceparent FROM claimed ORDER BY due_at`;

/** Claims the delivery `$3` if it is due. */
export const CLAIM_ONE = `
  UPDATE deliveries d
  SET ${LEASE}
  FROM webhooks w, webhook_secrets s
  WHERE d.id = $3 AND ${DUE} AND w.id = d.webhook_id AND w.enabled AND s.webhook_id = d.webhook_id
  RETURNING ${CLAIMED}`;

/** Reads the claimed delivery `$1` with the fencing token `$2` again, with the current URL and secret of its endpoint. */
export const READ_CLAIMED = `
  SELECT ${CLAIMED} FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN webhook_secrets s ON s.webhook_id = w.id
  WHERE d.id = $1 AND d.fence = $2 AND d.state = 'pending' AND w.enabled`;

/** A UUID of version 7 from its first 15 characters, so that new rows are adjacent in indexes. */
const newId = (stamp: string): string => `overlay(gen_random_uuid()::text PLACING ${stamp}::text FROM 1)::uuid`;

/**
 * Queues one delivery per event and subscribed endpoint; deliveries of disabled endpoints are held. Listeners of the
 * services get the events too, up to `$7` that they have not read; the sequence numbers of further events are skipped.
 */
export const ENQUEUE = `
  WITH e AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $8::uuid[]) WITH ORDINALITY
      AS e (id, service_id, kind, payload, traceparent, email_id, line)
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
  INSERT INTO deliveries (id, webhook_id, event_id, email_id, payload, state, reason, next_attempt_at, traceparent)
  SELECT ${newId('$6')}, w.id, e.id, e.email_id, e.payload,
    CASE WHEN w.enabled THEN 'pending' ELSE 'held' END,
    CASE WHEN w.enabled THEN NULL ELSE 'the endpoint is disabled' END,
    CASE WHEN w.enabled THEN now() END,
    e.traceparent
  FROM e JOIN webhooks w ON w.service_id = e.service_id AND e.kind = ANY (w.events)
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

/**
 * Records a batch of attempts, the state of their deliveries, and whether their endpoints keep failing. `NOT IN` lets the
 * planner expect most rows and hash them; with `IN` and no statistics it expects none and uses nested loops.
 */
export const RECORD_ATTEMPTS = `
  WITH results AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::bigint[], $3::float8[], $4::text[], $5::smallint[], $6::int[], $7::text[], $8::text[], $9::float8[], $10::float8[]
    ) AS r (id, fence, at_ms, outcome, status, latency_ms, error, response_head, retry_in_ms, retry_after_ms)
  ), settled AS (
    UPDATE deliveries d
    SET attempts = d.attempts + 1,
        state = CASE WHEN r.outcome = 'accepted' THEN 'accepted' WHEN r.outcome = 'refused' THEN 'refused'
                     WHEN r.retry_in_ms IS NULL THEN 'dropped' WHEN d.state = 'held' THEN 'held' ELSE 'pending' END,
        reason = CASE WHEN r.outcome = 'accepted' THEN NULL
                      WHEN r.outcome = 'refused' THEN 'the endpoint answered ' || r.status || ${MEANING}
                      WHEN r.retry_in_ms IS NULL THEN 'the last retry failed: ' || coalesce(r.error, 'the endpoint answered ' || r.status)
                      ELSE coalesce(r.error, 'the endpoint answered ' || r.status) END,
        next_attempt_at = CASE WHEN r.outcome = 'retry' THEN ${NEXT_ATTEMPT} END,
        claimed_until = NULL,
        finished_at = CASE WHEN r.outcome <> 'retry' OR r.retry_in_ms IS NULL THEN now() END
    FROM results r
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

/** Queues a delivery without an event. `$1` id, `$2` webhook, `$3` payload, `$4` trace. Due by the clock of the database. */
export const ENQUEUE_TEST = `
  INSERT INTO deliveries (id, webhook_id, payload, state, next_attempt_at, traceparent)
  VALUES ($1, $2, $3, 'pending', now(), $4)`;

/** Enabled webhooks that have failed for `$1` days. Prisma cannot compare two columns with an interval. */
export const FIND_FAILING_WEBHOOKS = `
  SELECT f.webhook_id, f.since FROM failing_webhooks f JOIN webhooks w ON w.id = f.webhook_id
  WHERE f.latest - f.since >= make_interval(days => $1) AND w.enabled`;

/** Counts due deliveries up to `$1`, so that a large backlog stays cheap to measure. */
export const MEASURE_DUE = `
  SELECT count(*)::int AS deliveries, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS seconds
  FROM (SELECT d.next_attempt_at FROM deliveries d WHERE ${DUE} LIMIT $1) AS due`;
