/**
 * The web services of workspace `$1`, each with its latest deployment that was not cancelled or replaced while it was
 * queued, and whether a deployment of it was ever live.
 */
export const FIND_WEB_SERVICES = `
  SELECT w.id, w.name, w.status, w.status_reason, w.blocked_reason, w.suspended_reason,
    d.id AS deployment_id, d.status AS deployment_status, d.error AS deployment_error, d.finished_at,
    EXISTS (SELECT 1 FROM deployments live WHERE live.web_service_id = w.id AND live.status = 'live') AS is_live,
    w.preview_of IS NOT NULL AS is_preview
  FROM web_services w JOIN projects p ON p.id = w.project_id
  LEFT JOIN LATERAL (
    SELECT * FROM deployments latest WHERE latest.web_service_id = w.id AND latest.status NOT IN ('cancelled', 'superseded')
    ORDER BY latest.number DESC LIMIT 1
  ) AS d ON true
  WHERE p.workspace_id = $1
  ORDER BY d.finished_at DESC NULLS LAST, w.id`;

/** Domains of workspace `$1` that have waited for their DNS records for an hour. */
export const FIND_UNVERIFIED_DOMAINS = `
  SELECT c.id, c.domain, c.message, c.created_at, w.id AS web_service_id, w.name
  FROM custom_domains c JOIN web_services w ON w.id = c.web_service_id JOIN projects p ON p.id = w.project_id
  WHERE p.workspace_id = $1 AND c.verified_domain IS NULL AND c.created_at < now() - interval '1 hour'
  ORDER BY c.created_at DESC LIMIT 100`;

/** Verified domains of workspace `$1` whose certificate was checked. */
export const FIND_CERTIFICATES = `
  SELECT c.id, c.domain, c.certificate_from, c.certificate_until, c.certificate_error, c.certificate_checked_at,
    w.id AS web_service_id, w.name
  FROM custom_domains c JOIN web_services w ON w.id = c.web_service_id JOIN projects p ON p.id = w.project_id
  WHERE p.workspace_id = $1 AND c.verified_domain IS NOT NULL AND c.certificate_checked_at IS NOT NULL
  ORDER BY c.certificate_until NULLS FIRST, c.id LIMIT 1000`;

/** Databases of workspace \`$1\` that do not work, or have little space. */
export const FIND_TROUBLED_DATABASES = `
  SELECT * FROM (
    SELECT d.id, d.name, d.status, d.status_reason, d.read_only_reason, storage.type AS storage, storage.occurred_at
    FROM databases d LEFT JOIN LATERAL (
      SELECT type, occurred_at FROM event_store.events WHERE stream_id = 'database-storage-' || d.id
      ORDER BY version DESC LIMIT 1
    ) AS storage ON true
    WHERE d.workspace_id = $1 AND d.status <> 'deleting'
  ) AS found
  WHERE status IN ('unavailable', 'failed') OR read_only_reason IS NOT NULL
    OR storage = 'platform-management.database-nearly-full.v1'
  ORDER BY id`;
