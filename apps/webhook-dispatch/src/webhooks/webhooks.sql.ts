import type { ProjectionTables } from '@postern/event-sourcing/postgres';

// `WebhookRepository` runs these in the transaction that appends events, which Prisma cannot join.

/** `$1` webhook, `$2` service, `$3` sealed secret. */
export const INSERT_SECRET = 'INSERT INTO webhook_secrets (webhook_id, service_id, current) VALUES ($1, $2, $3)';

/** `$1` webhook, `$2` sealed secret. */
export const SET_NEXT_SECRET = 'UPDATE webhook_secrets SET next = $2 WHERE webhook_id = $1';

/** `$1` webhook. */
export const SWITCH_SECRET =
  'UPDATE webhook_secrets SET current = next, next = NULL WHERE webhook_id = $1 AND next IS NOT NULL';

/** `$1` webhook. */
export const DELETE_SECRET = 'DELETE FROM webhook_secrets WHERE webhook_id = $1';

/** Counts the webhooks of service `$1` by their secrets, which are written with their events. */
export const COUNT_WEBHOOKS = 'SELECT count(*)::int AS count FROM webhook_secrets WHERE service_id = $1';

/** `$1` webhook. */
export const CLEAR_FAILURES = 'DELETE FROM failing_webhooks WHERE webhook_id = $1';

const HELD = "state = 'held', reason = 'the endpoint is disabled'";

/** Holds up to 1000 pending deliveries of webhook `$1`; the rest is held later in batches, to keep this short. */
export const HOLD_PENDING_DELIVERIES = `
  UPDATE deliveries SET ${HELD} WHERE state = 'pending' AND id = ANY (ARRAY(
    SELECT id FROM deliveries WHERE webhook_id = $1 AND state = 'pending' LIMIT 1000
  ))`;

// The projection runs these in the transaction of its checkpoint, on the tables of one generation.

/** `$1` id, `$2` service, `$3` URL, `$4` event kinds, `$5` time of creation, `$6` workspace, `$7` rate limit, `$8` order. */
export const insertWebhook = ({ table }: ProjectionTables): string => `
  INSERT INTO ${table('webhooks')} (id, service_id, url, events, enabled, created_at, workspace_id, rate_limit, ordered)
  VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8)`;

/** `$1` id, `$2` URL. */
export const updateUrl = ({ table }: ProjectionTables): string =>
  `UPDATE ${table('webhooks')} SET url = $2 WHERE id = $1`;

/** `$1` id, `$2` event kinds. */
export const updateEvents = ({ table }: ProjectionTables): string =>
  `UPDATE ${table('webhooks')} SET events = $2 WHERE id = $1`;

/** `$1` id, `$2` requests per second, `$3` order. */
export const updatePacing = ({ table }: ProjectionTables): string =>
  `UPDATE ${table('webhooks')} SET rate_limit = $2, ordered = $3 WHERE id = $1`;

/** `$1` id, `$2` reason. */
export const disableWebhook = ({ table }: ProjectionTables): string =>
  `UPDATE ${table('webhooks')} SET enabled = false, disabled_reason = $2 WHERE id = $1`;

/** `$1` id. */
export const enableWebhook = ({ table }: ProjectionTables): string =>
  `UPDATE ${table('webhooks')} SET enabled = true, disabled_reason = NULL WHERE id = $1`;

/** `$1` id. */
export const deleteWebhook = ({ table }: ProjectionTables): string => `DELETE FROM ${table('webhooks')} WHERE id = $1`;
