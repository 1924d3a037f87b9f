import { hasRunFor } from '../infrastructure/postgres/after-restart.js';

/** Longer than any attempt can take, including the wait for a connection. */
const LEASE_S = 300;

const claim = (condition: string): string => `
  WITH due AS MATERIALIZED (
    SELECT email_id, recipient_index FROM deferred_copies WHERE ${condition}
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE deferred_copies AS copy
  SET claim = $3::uuid, claimed_until = $1::timestamptz + make_interval(secs => ${LEASE_S})
  FROM due WHERE copy.email_id = due.email_id AND copy.recipient_index = due.recipient_index
  RETURNING copy.email_id, copy.recipient_index, copy.tries, copy.deadline, copy.claim`;

/** Claims due copies. */
export const CLAIM_DUE = claim('claim IS NULL AND due_at <= $1');

/** Claims copies whose claim expired without an outcome, if PostgreSQL has run long enough to know that. */
export const CLAIM_CUT_OFF = claim(`claim IS NOT NULL AND claimed_until <= $1 AND ${hasRunFor('$4')}`);

/** Ends all claims with one token; the copies stay due. */
export const RELEASE_CLAIMS = 'UPDATE deferred_copies SET claim = NULL, claimed_until = NULL WHERE claim = $1';

/** Ends a claim without an attempt, if it still holds. */
export const RELEASE_COPY = `
  UPDATE deferred_copies SET claim = NULL, claimed_until = NULL, due_at = $4
  WHERE email_id = $1 AND recipient_index = $2 AND claim = $3`;

/** Schedules the next attempt, if the claim still holds. */
export const SCHEDULE_RETRY = `
  UPDATE deferred_copies SET claim = NULL, claimed_until = NULL, tries = tries + 1, due_at = $4
  WHERE email_id = $1 AND recipient_index = $2 AND claim = $3`;

/** Deletes a copy whose outcome is final, if the claim still holds. */
export const DELETE_COPY = 'DELETE FROM deferred_copies WHERE email_id = $1 AND recipient_index = $2 AND claim = $3';
