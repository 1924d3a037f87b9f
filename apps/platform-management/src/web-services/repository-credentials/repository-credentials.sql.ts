/** Deletes the credential with its sealed secret. */
export const DELETE_CREDENTIAL = `
  WITH gone AS (DELETE FROM repository_credentials WHERE web_service_id = $1 AND kind = $2 RETURNING id),
    sealed AS (DELETE FROM sealed_values WHERE id IN (SELECT id FROM gone))
  SELECT id FROM gone`;

export const SEAL_CREDENTIAL = 'INSERT INTO sealed_values (id, sealed, web_service_id) VALUES ($1, $2, $3)';

export const INSERT_CREDENTIAL = `
  INSERT INTO repository_credentials (id, web_service_id, kind, public_key, username, host)
  VALUES ($1, $2, $3, $4, $5, $6)`;

export const OPEN_CREDENTIALS = `
  SELECT c.id, c.kind, c.host_keys AS "hostKeys", c.username, c.host, s.sealed
  FROM repository_credentials c JOIN sealed_values s ON s.id = c.id WHERE c.web_service_id = $1`;

export const ADD_HOST_KEYS = `
  UPDATE repository_credentials SET host_keys = coalesce(host_keys, '') || $2
  WHERE web_service_id = $1 AND kind = 'deploy_key' AND position($2 IN coalesce(host_keys, '')) = 0`;
