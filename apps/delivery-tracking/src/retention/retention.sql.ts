import { COUNT_NAMES } from '../tracked-emails/email-counts.js';
import { ROW_COLUMNS } from '../tracked-emails/tracked-email-columns.js';
import { trackedEmailStream } from '../tracked-emails/tracked-email-events.js';

const LINE = `jsonb_to_recordset($1::jsonb) AS line (service_id uuid, day date, simulated boolean,
  ${['messages', ...COUNT_NAMES].map(name => `${name} integer`).join(', ')})`;

const subtract = (from: string, which: string): string => `
    UPDATE ${from} AS counts SET ${['messages', ...COUNT_NAMES].map(name => `${name} = counts.${name} - line.${name}`).join(', ')}
    FROM line WHERE ${which} AND counts.service_id = line.service_id AND counts.day = line.day`;

const PREFIX = trackedEmailStream('');
const emailAt = (streamId: string): string => `nullif(substr(${streamId}, ${PREFIX.length + 1}), '')::uuid`;

/** The streams of the next `$3` messages between two streams, with or without events, and those of messages without a row. */
export const FIND_OLD_EMAILS = `
  SELECT stream_id FROM (
    (SELECT '${PREFIX}' || id AS stream_id FROM tracked_emails
      WHERE id > coalesce(${emailAt('$1::text')}, '00000000-0000-0000-0000-000000000000') AND id < ${emailAt('$2::text')}
      ORDER BY id LIMIT $3)
    UNION
    (SELECT stream_id FROM event_store.events WHERE stream_id > $1 AND stream_id < $2 AND version = 1
      ORDER BY stream_id LIMIT $3)
  ) AS streams ORDER BY stream_id COLLATE "C" LIMIT $3`;

/** The messages `$1`. */
export const LOAD_EMAILS = `SELECT ${ROW_COLUMNS} FROM tracked_emails WHERE id = ANY ($1::uuid[])`;

/** Moves counts `$1` of messages that are deleted from the read model to the counts that are kept. */
export const KEEP_COUNTS = `
  WITH line AS (SELECT * FROM ${LINE}
  ), counted AS (${subtract('daily_email_counts', 'NOT line.simulated')}
  ), simulated AS (${subtract('daily_simulator_counts', 'line.simulated')}
  )
  INSERT INTO kept_daily_counts AS kept (service_id, day, simulated, ${COUNT_NAMES.join(', ')})
  SELECT service_id, day, simulated, ${COUNT_NAMES.join(', ')} FROM line
  ON CONFLICT (service_id, day, simulated) DO UPDATE SET
    ${COUNT_NAMES.map(name => `${name} = kept.${name} + excluded.${name}`).join(', ')}`;

/** Deletes the rows of the messages `$1`; `$2` and `$3` are their services and addresses after the first, with times `$4`. */
export const DELETE_EMAILS = `
  WITH others AS (
    DELETE FROM tracked_other_recipients AS other
    USING unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::uuid[]) AS gone (service_id, address, accepted_at, email_id)
    WHERE other.service_id = gone.service_id AND other.address = gone.address COLLATE "C"
      AND other.accepted_at = gone.accepted_at AND other.email_id = gone.email_id
  ), notices AS (DELETE FROM bounce_notices WHERE email_id = ANY ($1::uuid[])
  ), signals AS (DELETE FROM waiting_signals WHERE email_id = ANY ($1::uuid[])
  )
  DELETE FROM tracked_emails WHERE id = ANY ($1::uuid[])`;
