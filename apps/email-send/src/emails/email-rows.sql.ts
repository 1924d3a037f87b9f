/** Stores sealed bodies of admitted messages, and their requests as open in this process. */
export const INSERT_OPEN_REQUESTS = `
  WITH bodies AS (
    INSERT INTO sealed_email_bodies (email_id, key_id, sealed)
    SELECT id, split_part(body, ':', 1), body FROM unnest($1::uuid[], $2::text[]) AS message (id, body)
  )
  INSERT INTO open_requests (email_id, instance_id, fingerprint, answer_by)
  SELECT id, $5, print, deadline
  FROM unnest($1::uuid[], $3::uuid[], $4::timestamptz[]) AS message (id, print, deadline)`;

/** Stores records of concluded messages, deletes the open requests of those not handed over, and lists unknown outcomes. */
export const INSERT_RECORDS = `
  WITH of_earlier_release AS (DELETE FROM emails_in_flight WHERE email_id = ANY ($1::uuid[])),
  not_handed_over AS (DELETE FROM open_requests WHERE email_id = ANY ($4::uuid[])),
  unresolved AS (
    INSERT INTO unresolved_emails (email_id) SELECT unnest($5::uuid[]) ON CONFLICT DO NOTHING
  )
  INSERT INTO emails (id, service_id, record) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[])`;

/** Replaces the record of a message whose outcome was unknown. */
export const RESOLVE_RECORD = `
  WITH resolved AS (DELETE FROM unresolved_emails WHERE email_id = $1)
  UPDATE emails SET record = $2 WHERE id = $1`;

/** Stores copies that a relay deferred. */
export const INSERT_DEFERRED_COPIES = `
  INSERT INTO deferred_copies (email_id, recipient_index, due_at, deadline)
  SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::timestamptz[])`;

/** The body of a message, sealed or in plain text. */
export const FIND_BODY = `
  SELECT sealed, content FROM (SELECT $1::uuid AS email_id) AS message
  LEFT JOIN sealed_email_bodies USING (email_id) LEFT JOIN email_bodies USING (email_id)`;
