/** $1 is the text in lower case, and $2 the host name or URL in it; the last digits of an id are part of a host name. */
const FOUND = `
  FROM web_services w JOIN projects p ON p.id = w.project_id JOIN workspaces s ON s.id = p.workspace_id
  WHERE strpos(lower(w.name), $1) > 0 OR strpos(lower(s.name), $1) > 0 OR $1 IN (w.id::text, s.id::text)
    OR right(w.id::text, 8) = substring($2 FROM '-([0-9a-f]{8})(?:[.]|$)')
    OR EXISTS (SELECT FROM custom_domains d WHERE d.web_service_id = w.id AND d.domain = $2)`;

export const FIND_WEB_SERVICES = `
  SELECT w.id, w.name, w.status, w.blocked_reason, w.suspended_reason, p.name AS project_name, s.id AS workspace_id,
    s.name AS workspace_name, w.created_at
  ${FOUND} ORDER BY w.created_at DESC, w.id DESC LIMIT $3 OFFSET $4`;

export const COUNT_WEB_SERVICES = `SELECT count(*)::int AS total ${FOUND}`;
