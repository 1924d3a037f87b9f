import { COUNT_NAMES } from '../messages/email-counts.js';
import { ROW_COLUMNS } from '../messages/tracked-email-columns.js';

const LINE = `jsonb_to_recordset($1::jsonb) AS line (service_id uuid, day date, simulated boolean,
  ${['messages', ...COUNT_NAMES].map(name => `${name} integer`).join(', ')})`;

const subtract = (from: string, which: string): string => `
    UPDATE ${from} AS counts SET ${['messages', ...COUNT_NAMES].map(name => `${name} = counts.${name} - line.${name}`).join(', ')}
    FROM line WHERE ${which} AND counts.service_id = line.service_id AND counts.day = line.day`;

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
