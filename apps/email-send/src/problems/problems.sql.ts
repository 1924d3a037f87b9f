/** Domains of workspace `$1` that are not verified; one that was added in the last hour only waits for its records. */
export const FIND_TROUBLED_DOMAINS = `
  SELECT d.id, d.domain, d.status, d.created_at, s.id AS service_id, s.name AS service_name
  FROM sending_domains d JOIN email_services s ON s.id = d.service_id
  WHERE s.workspace_id = $1 AND (d.status = 'records_lost' OR d.status = 'pending' AND d.created_at < now() - interval '1 hour')
  ORDER BY d.created_at DESC LIMIT 100`;
