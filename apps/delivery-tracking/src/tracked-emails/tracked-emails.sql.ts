import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { COUNT_NAMES } from './email-counts.js';
import { FOLLOWED_COLUMNS, ROW_COLUMNS } from './tracked-email-columns.js';

const COUNTED = [...COUNT_NAMES, 'messages'];

/**
 * Loads and locks the rows of a batch of events from one generation of the read model, in one order for all writers: the projection
 * of the reports and the consumer of email-send. `$1` email ids.
 */
export const loadTrackedEmails = ({ table }: ProjectionTables): string => `
  SELECT ${ROW_COLUMNS} FROM ${table('tracked_emails')} WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE`;

/** What email-send said about emails `$1`. */
export const READ_FOLLOWED = `
  SELECT ${FOLLOWED_COLUMNS} FROM tracked_emails WHERE id = ANY ($1::uuid[])`;

/** The next `$2` emails after `$1` of a generation that email-send's events were folded into. */
export const readFollowed = ({ table }: ProjectionTables): string => `
  SELECT ${FOLLOWED_COLUMNS} FROM ${table('tracked_emails')}
  WHERE id > $1::uuid ORDER BY id LIMIT $2`;

/** Which of the emails `$1` a generation has. */
export const knownEmails = ({ table }: ProjectionTables): string => `
  SELECT id FROM ${table('tracked_emails')} WHERE id = ANY ($1::uuid[])`;

const addCounts = (into: string, which: string): string => `
    INSERT INTO ${into} AS counts (service_id, day, ${COUNTED.join(', ')})
    SELECT service_id, day, ${COUNTED.join(', ')} FROM line WHERE ${which} ORDER BY service_id, day
    ON CONFLICT (service_id, day) DO UPDATE SET
      ${COUNTED.map(name => `${name} = counts.${name} + excluded.${name}`).join(', ')}`;

/** Deletes the emails and the daily counts of services. `$1` service ids. */
export const deleteTrackedEmails = ({ table }: ProjectionTables): string => `
  WITH counts AS (DELETE FROM ${table('daily_email_counts')} WHERE service_id = ANY ($1::uuid[])),
    simulated AS (DELETE FROM ${table('daily_simulator_counts')} WHERE service_id = ANY ($1::uuid[])),
    others AS (DELETE FROM ${table('tracked_other_recipients')} WHERE service_id = ANY ($1::uuid[]))
  DELETE FROM ${table('tracked_emails')} WHERE service_id = ANY ($1::uuid[])`;

/**
 * Saves a batch of rows and the changes of the daily counts in one statement. `$13` counts and `$18` further recipients
 * of new messages as JSON, `$19` what email-send said, which is added to what the row has, and `$20` traces of new messages.
 */
export const saveTrackedEmails = ({ table }: ProjectionTables): string => `
  WITH line AS (
    SELECT * FROM jsonb_to_recordset($13::jsonb) AS line (
      service_id uuid, day date, simulated boolean, ${COUNTED.map(name => `${name} integer`).join(', ')})
  ), counted AS (${addCounts(table('daily_email_counts'), 'NOT simulated')}
  ), simulated AS (${addCounts(table('daily_simulator_counts'), 'simulated')}
  ), others AS (
    INSERT INTO ${table('tracked_other_recipients')} (service_id, address, accepted_at, email_id)
    SELECT * FROM jsonb_to_recordset($18::jsonb) AS other (service_id uuid, address text, accepted_at timestamptz, email_id uuid)
    ON CONFLICT DO NOTHING
  )
  INSERT INTO ${table('tracked_emails')} AS email
    (id, service_id, status, mode, sender, subject, accepted_at, counts, recipients, states, result, search,
     waiting_since, tags, message_id, address, hand_over, traceparent)
  SELECT id, service_id, status, mode, sender, subject, accepted_at, counts, recipients,
    string_to_array(states, ','), result, search, waiting_since,
    CASE WHEN tags IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(tags)) END, message_id, address, hand_over, traceparent
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
    $8::boolean[], $9::jsonb[], $10::text[], $11::text[], $12::timestamptz[], $14::text[], $15::jsonb[], $16::text[],
    $17::text[], $19::jsonb[], $20::text[]) AS line (id, service_id, status, mode, sender, subject, accepted_at, counts,
    recipients, states, search, waiting_since, result, tags, message_id, address, hand_over, traceparent)
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, recipients = excluded.recipients,
    states = excluded.states, result = excluded.result, waiting_since = excluded.waiting_since,
    hand_over = coalesce(email.hand_over || excluded.hand_over, email.hand_over)`;
