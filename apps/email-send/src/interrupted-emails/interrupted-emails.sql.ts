import { hasRunFor } from '../infrastructure/postgres/after-restart.js';

/** Open requests without an outcome, and the messages of a process of the previous release, which uses another table. */
const IN_PROGRESS = `(
  SELECT email_id, instance_id FROM open_requests AS request
  WHERE NOT EXISTS (SELECT FROM emails WHERE id = request.email_id)
  UNION ALL SELECT email_id, instance_id FROM emails_in_flight
) AS in_progress`;

/** Other processes with messages in progress, and whether PostgreSQL has run long enough to know which are dead. */
export const LIST_INSTANCES = `
  SELECT DISTINCT instance_id, ${hasRunFor('$2')} AS certain
  FROM ${IN_PROGRESS} WHERE instance_id <> $1`;

/** Messages of one process with an id before `$2`. */
export const LIST_IN_PROGRESS = `
  SELECT email_id FROM ${IN_PROGRESS} WHERE instance_id = $1 AND email_id < $2 ORDER BY email_id LIMIT $3`;
