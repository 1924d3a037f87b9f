import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/** Counts a code mail of a service within an hour, unless the limit is reached. */
export const COUNT_CODE_MAIL = `
  INSERT INTO code_mails AS m (service_id, hour, sent) VALUES ($1, $2, 1)
  ON CONFLICT (service_id, hour) DO UPDATE SET sent = m.sent + 1 WHERE m.sent < $3`;

/** Adds a recipient that waits for its code, or sets the expiry of a new code. */
export const SET_AWAITING_CODE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('verified_recipients')} AS r (id, service_id, address, status, code_expires_at, created_at)
  VALUES ($1, $2, $3, 'awaiting_code', $4, $5)
  ON CONFLICT (id) DO UPDATE SET code_expires_at = excluded.code_expires_at`;

/** Adds a verified recipient, or verifies one that waits for its code. */
export const SET_VERIFIED = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('verified_recipients')} AS r (id, service_id, address, status, verified_at, created_at)
  VALUES ($1, $2, $3, 'verified', $4, $4)
  ON CONFLICT (id) DO UPDATE SET status = 'verified', verified_at = excluded.verified_at, code_expires_at = NULL`;

/** Removes a recipient from the read model. */
export const DELETE_RECIPIENT = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('verified_recipients')} WHERE id = $1`;
