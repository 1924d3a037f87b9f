import type { ProjectionTables } from '@postern/event-sourcing/postgres';

const set =
  (column: string) =>
  ({ table }: ProjectionTables) =>
    `UPDATE ${table('email_services')} SET ${column} = $2 WHERE id = $1`;

/** Adds a service in sandbox mode. */
export const INSERT_SERVICE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('email_services')} (id, workspace_id, name, mode, enabled, open_tracking, click_tracking, suppression,
    limits, created_at)
  VALUES ($1, $2, $3, 'sandbox', true, true, false, false, '{}', $4)`;

export const SET_NAME = set('name');
export const SET_ENABLED = set('enabled');
export const SET_OPEN_TRACKING = set('open_tracking');
export const SET_CLICK_TRACKING = set('click_tracking');
export const SET_SUPPRESSION = set('suppression');
export const SET_LIMITS = set('limits');
export const SET_DAILY_QUOTA = set('daily_quota');

/** Deletes a service and its quota history from the projection. */
export const DELETE_SERVICE = ({ table }: ProjectionTables) => `
  WITH quotas AS (DELETE FROM ${table('daily_quota_changes')} WHERE service_id = $1),
  keys AS (DELETE FROM ${table('api_keys')} WHERE service_id = $1),
  domains AS (DELETE FROM ${table('sending_domains')} WHERE service_id = $1),
  recipients AS (DELETE FROM ${table('verified_recipients')} WHERE service_id = $1)
  DELETE FROM ${table('email_services')} WHERE id = $1`;

/** Moves a service to production. */
export const MOVE_TO_PRODUCTION = ({ table }: ProjectionTables) =>
  `UPDATE ${table('email_services')} SET mode = 'production', daily_quota = $2 WHERE id = $1`;

/** Records a change of the daily quota; several changes on one day are shown as one. */
export const INSERT_QUOTA_CHANGE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('daily_quota_changes')} (service_id, day, at, "from", "to", reason)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (service_id, day) DO UPDATE SET at = excluded.at, "to" = excluded."to", reason = excluded.reason`;
