/**
 * Deployments that wait for a build slot, one of each workspace per round; active builds of the workspace count as rounds.
 * Excludes deployments that wait for an active deployment of their own web service.
 */
export const READ_BUILD_QUEUE = `
  WITH unfinished AS (
    SELECT d.id, d.web_service_id, d.status, d.rollback_of, d.created_at, p.workspace_id
    FROM web_service_standings AS standing
    JOIN deployments d ON d.web_service_id = standing.web_service_id AND d.finished_at IS NULL
    JOIN web_services service ON service.id = d.web_service_id
    JOIN projects p ON p.id = service.project_id
    WHERE standing.to_do AND d.status IN ('queued', 'building', 'releasing')
  ), waiting AS (
    SELECT id, web_service_id, created_at,
      row_number() OVER (PARTITION BY workspace_id ORDER BY created_at, id)
        + (SELECT count(*) FROM unfinished b WHERE b.status = 'building' AND b.workspace_id = u.workspace_id) AS round
    FROM unfinished u
    WHERE status = 'queued' AND rollback_of IS NULL AND NOT EXISTS (
      SELECT FROM unfinished active WHERE active.web_service_id = u.web_service_id AND active.status <> 'queued')
  )
  SELECT id, web_service_id FROM waiting ORDER BY round, created_at, id`;
