/** Messages with a Message-ID that their sender chose; `$2` is a recipient, or null. At most two, because one is looked for. */
export const FIND_BY_MESSAGE_ID = `
  SELECT id FROM tracked_emails
  WHERE message_id = $1 AND ($2::text IS NULL OR EXISTS (
    SELECT FROM jsonb_array_elements(recipients) AS recipient WHERE lower(recipient ->> 'address') = lower($2)))
  LIMIT 2`;
