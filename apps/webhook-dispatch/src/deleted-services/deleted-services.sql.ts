/** The webhooks of service `$1`. */
export const FIND_WEBHOOKS = 'SELECT id FROM webhooks WHERE service_id = $1';

/** Deletes the listeners of service `$1` with their events. */
export const DELETE_LISTENERS_OF_SERVICE = `
  WITH deleted AS (DELETE FROM webhook_listeners WHERE service_id = $1 RETURNING id)
  DELETE FROM webhook_listener_events WHERE listener_id IN (SELECT id FROM deleted)`;

/** Deletes at most `$2` deliveries of webhooks, with their attempts. */
export const DELETE_DELIVERIES = `
  WITH deleted AS (
    DELETE FROM deliveries WHERE id = ANY (ARRAY(SELECT id FROM deliveries WHERE webhook_id = ANY ($1::uuid[]) LIMIT $2))
    RETURNING id
  ), attempts_of_them AS (
    DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deleted)
  )
  SELECT id FROM deleted`;

/** Deletes the secrets and failures of webhooks, by their ids. */
export const DELETE_ROWS_OF_WEBHOOKS = `
  WITH secrets AS (DELETE FROM webhook_secrets WHERE webhook_id = ANY ($1::uuid[]))
  DELETE FROM failing_webhooks WHERE webhook_id = ANY ($1::uuid[])`;
