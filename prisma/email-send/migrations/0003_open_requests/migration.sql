-- Requests whose answers nobody has confirmed as received. A message is under way until it has a row in emails. After
-- that the row lets a retry of an answer that was lost find the message by its fingerprint. Takes the place of
-- emails_in_flight, which the release before this one still writes.
CREATE TABLE open_requests (
  email_id uuid PRIMARY KEY,
  instance_id uuid NOT NULL,
  -- Hash of service and message, null for a request with an Idempotency-Key.
  fingerprint uuid,
  -- When the client stops waiting.
  answer_by timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX open_requests_fingerprint ON open_requests (fingerprint);

-- Messages whose outcome only evidence can tell.
CREATE TABLE unresolved_emails (
  email_id uuid PRIMARY KEY
);
-- Those of the last seven days, which is as far as the evidence reaches back.
INSERT INTO unresolved_emails (email_id)
SELECT id FROM emails
WHERE id > (lpad(to_hex((extract(epoch FROM now() - interval '7 days') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
  AND record::jsonb ->> 'status' = 'failed' AND record LIKE '%interrupted: outcome unknown%';

ALTER TABLE idempotency_keys ADD COLUMN fingerprint uuid;

-- Admits a batch of messages in which nothing has to be decided: no request repeats another one, every key is free and
-- no limit is passed. Anything else raises PS001 and leaves nothing behind, and the caller then judges request by request.
-- Keys before counters before streams, as everybody locks them.
CREATE FUNCTION admit_emails(
  rounds integer[], streams text[], expected integer[], metadata jsonb[], occurred timestamptz,
  owners integer[], numbers integer[], event_ids uuid[], types text[], data jsonb[],
  key_services uuid[], keys text[], key_hashes text[], key_fingerprints uuid[], key_emails uuid[], key_times timestamptz[],
  counter_services uuid[], counter_periods text[], counter_starts timestamptz[], amounts integer[], limits bigint[],
  emails uuid[], bodies text[], fingerprints uuid[], deadlines timestamptz[], instance uuid,
  recognised_after timestamptz, recognised_until timestamptz
) RETURNS TABLE (service_id uuid, period text, starts_at timestamptz, used integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  claimed integer;
  most bigint;
BEGIN
  IF EXISTS (
    SELECT FROM open_requests
    WHERE fingerprint = ANY (fingerprints) AND answer_by > recognised_after AND answer_by <= recognised_until
  ) THEN
    RAISE EXCEPTION 'a request repeats one whose outcome was unknown' USING ERRCODE = 'PS001';
  END IF;

  IF cardinality(keys) > 0 THEN
    INSERT INTO idempotency_keys AS known (service_id, key, body_hash, fingerprint, email_id, claimed_at)
    SELECT * FROM unnest(key_services, keys, key_hashes, key_fingerprints, key_emails, key_times)
    ON CONFLICT (service_id, key) DO UPDATE
      SET body_hash = excluded.body_hash, fingerprint = excluded.fingerprint, email_id = excluded.email_id,
          claimed_at = excluded.claimed_at
      WHERE known.claimed_at < excluded.claimed_at - interval '24 hours';
    GET DIAGNOSTICS claimed = ROW_COUNT;
    IF claimed < cardinality(keys) THEN
      RAISE EXCEPTION 'an idempotency key is taken' USING ERRCODE = 'PS001';
    END IF;
  END IF;

  FOR service_id, period, starts_at, used, most IN
    WITH due AS (
      SELECT * FROM unnest(counter_services, counter_periods, counter_starts, amounts, limits)
        AS due (service_id, period, starts_at, amount, most)
    ), counted AS (
      INSERT INTO sending_usage AS usage (service_id, period, starts_at, used)
      SELECT service_id, period, starts_at, amount FROM due
      ON CONFLICT (service_id, period, starts_at) DO UPDATE SET used = greatest(0, usage.used + excluded.used)
      RETURNING service_id, period, starts_at, used
    )
    SELECT counted.*, due.most FROM counted JOIN due USING (service_id, period, starts_at)
  LOOP
    IF used > most THEN
      RAISE EXCEPTION 'a limit would be passed' USING ERRCODE = 'PS001';
    END IF;
    RETURN NEXT;
  END LOOP;

  IF EXISTS (
    SELECT FROM event_store.append(rounds, streams, expected, metadata, occurred, owners, numbers, event_ids, types, data)
    WHERE NOT admitted
  ) THEN
    RAISE EXCEPTION 'a message was admitted before' USING ERRCODE = 'PS001';
  END IF;
  INSERT INTO email_bodies (email_id, content) SELECT * FROM unnest(emails, bodies);
  INSERT INTO open_requests (email_id, instance_id, fingerprint, answer_by)
  SELECT id, instance, print, deadline FROM unnest(emails, fingerprints, deadlines) AS message (id, print, deadline);
END $$;
