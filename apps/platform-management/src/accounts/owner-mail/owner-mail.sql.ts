export const FIND_EVENT =
  'SELECT type, data FROM event_store.events WHERE stream_id = $1 AND version = $2 AND type = ANY ($3)';

export const FIND_WEB_SERVICE = `
  SELECT w.name, p.name AS project_name, s.id AS workspace_id, s.name AS workspace_name,
    CASE WHEN w.status = 'running' THEN true
      WHEN EXISTS (SELECT 1 FROM deployments d WHERE d.web_service_id = w.id AND d.status = 'live') THEN false
    END AS is_live
  FROM web_services w JOIN projects p ON p.id = w.project_id JOIN workspaces s ON s.id = p.workspace_id
  WHERE w.id = $1`;

export const FIND_DATABASE = `
  SELECT d.name, NULL AS project_name, s.id AS workspace_id, s.name AS workspace_name
  FROM databases d JOIN workspaces s ON s.id = d.workspace_id WHERE d.id = $1 AND d.status <> 'deleting'`;

/** Owners who can log in and have not turned off service mail. */
export const FIND_RECIPIENTS = `
  SELECT c.user_id, c.email FROM memberships m JOIN credentials c ON c.user_id = m.user_id
  WHERE m.workspace_id = $1 AND m.role = 'owner' AND c.disabled_at IS NULL AND c.service_mails
  ORDER BY m.joined_at, c.user_id`;

/** Workspaces after the id `$1` with owners who can log in and have not turned off the daily mail, at most `$2`. */
export const LIST_STATUS_MAILS = `
  SELECT s.id, s.name,
    json_agg(json_build_object('user_id', c.user_id, 'email', c.email) ORDER BY m.joined_at, c.user_id) AS recipients
  FROM workspaces s JOIN memberships m ON m.workspace_id = s.id JOIN credentials c ON c.user_id = m.user_id
  WHERE m.role = 'owner' AND c.disabled_at IS NULL AND c.status_mails AND ($1::uuid IS NULL OR s.id > $1::uuid)
  GROUP BY s.id, s.name ORDER BY s.id LIMIT $2`;
