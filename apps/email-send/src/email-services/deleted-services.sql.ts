/** Deletes sending domains by their ids: their checks, and with these their private keys and the reports about them. */
export const DELETE_DOMAINS = 'DELETE FROM domain_checks WHERE domain_id = ANY ($1::uuid[])';

/** Deletes the times of the last use of API keys, by the ids of the keys. */
export const DELETE_KEY_USES = 'DELETE FROM api_key_uses WHERE key_id = ANY ($1::uuid[])';

/** Deletes the rows of service `$1` that belong to no message, domain or key. */
export const DELETE_ROWS_OF_SERVICE = `
  WITH keys AS (DELETE FROM idempotency_keys WHERE service_id = $1),
  usage AS (DELETE FROM sending_usage WHERE service_id = $1),
  suppressed AS (DELETE FROM suppressed_addresses WHERE service_id = $1),
  codes AS (DELETE FROM code_mails WHERE service_id = $1),
  deleted_templates AS (DELETE FROM templates WHERE service_id = $1),
  scheduled AS (DELETE FROM scheduled_emails WHERE service_id = $1),
  reported AS (DELETE FROM reported_emails WHERE service_id = $1)
  DELETE FROM judged_days WHERE service_id = $1`;
