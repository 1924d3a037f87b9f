/** The workspace with the oldest web service or database. */
export const FIRST_WORKSPACE = `
  SELECT workspace_id FROM (
    SELECT p.workspace_id, w.created_at FROM web_services w JOIN projects p ON p.id = w.project_id
    UNION ALL
    SELECT workspace_id, created_at FROM databases
  ) AS resources
  ORDER BY created_at
  LIMIT 1`;
