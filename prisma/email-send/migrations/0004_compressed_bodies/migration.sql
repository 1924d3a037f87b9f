-- Compressed, then sealed, as bytes. `sealed` is of releases before, until its retention is over.
ALTER TABLE sealed_email_bodies ADD COLUMN body bytea, ALTER COLUMN sealed DROP NOT NULL;
ALTER TABLE sealed_email_bodies ALTER COLUMN body SET STORAGE EXTERNAL;

-- Replicas of the release before still call admit_sealed_emails.
CREATE FUNCTION admit_emails(rounds integer[], streams text[], expected integer[], metadata jsonb[], occurred timestamp with time zone, owners integer[], numbers integer[], event_ids uuid[], types text[], data jsonb[], key_services uuid[], keys text[], key_hashes text[], key_fingerprints uuid[], key_emails uuid[], key_times timestamp with time zone[], counter_services uuid[], counter_periods text[], counter_starts timestamp with time zone[], amounts integer[], limits bigint[], emails uuid[], bodies bytea[], body_key text, fingerprints uuid[], deadlines timestamp with time zone[], instance uuid, recognised_after timestamp with time zone, recognised_until timestamp with time zone) RETURNS TABLE(service_id uuid, period text, starts_at timestamp with time zone, used integer)
    LANGUAGE plpgsql
    AS $$
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
  INSERT INTO sealed_email_bodies (email_id, key_id, body)
  SELECT id, body_key, body FROM unnest(emails, bodies) AS message (id, body);

  INSERT INTO open_requests (email_id, instance_id, fingerprint, answer_by)
  SELECT id, instance, print, deadline FROM unnest(emails, fingerprints, deadlines) AS message (id, print, deadline);
END $$;
