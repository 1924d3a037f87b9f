export const REPLACE_HOOK = `
  INSERT INTO deploy_hooks (id, web_service_id, token_hash) VALUES ($1, $2, $3)`;

/** Deletes a hook with its deliveries and its encrypted secret. */
export const DELETE_HOOK = `
  WITH gone AS (DELETE FROM deploy_hooks WHERE web_service_id = $1 RETURNING id)
  DELETE FROM sealed_values WHERE id IN (SELECT id FROM gone)`;

export const SEAL_HOOK_SECRET = 'INSERT INTO sealed_values (id, sealed, web_service_id) VALUES ($1, $2, $3)';

export const FIND_HOOK_BY_TOKEN = `
  SELECT h.id, h.web_service_id AS "webServiceId", h.created_at AS "createdAt", s.sealed,
    w.user_id AS "userId", w.branch, w.auto_deploy AS "autoDeploy", w.watch_paths AS "watchPaths",
    w.previews, w.image IS NOT NULL AS "runsImage"
  FROM deploy_hooks h JOIN sealed_values s ON s.id = h.id JOIN web_services w ON w.id = h.web_service_id
  WHERE h.token_hash = $1`;

export const FIND_HOOK_OWNER = `
  SELECT h.id, h.web_service_id AS "webServiceId", p.workspace_id AS "workspaceId"
  FROM deploy_hooks h JOIN web_services w ON w.id = h.web_service_id JOIN projects p ON p.id = w.project_id
  WHERE h.token_hash = $1`;

export const SAVE_GIT_HOST = 'UPDATE deploy_hooks SET git_host = $2 WHERE id = $1 AND git_host IS DISTINCT FROM $2';

/** Serializes the deliveries of one hook, so that concurrent ones are counted. */
export const LOCK_DELIVERIES = `SELECT pg_advisory_xact_lock(hashtextextended('deploy hook ' || $1, 0))`;

/** A delivery whose deployment does not exist after a minute was interrupted and is not known. */
export const COUNT_DELIVERIES = `
  SELECT
    (SELECT count(*)::integer FROM deploy_hook_deliveries
      WHERE hook_id = $1 AND at > now() - interval '1 minute') AS "ofMinute",
    EXISTS (SELECT FROM deploy_hook_deliveries d
      WHERE d.hook_id = $1 AND d.digest = $2 AND (d.deployment_id IS NULL OR d.at > now() - interval '1 minute'
        OR EXISTS (SELECT FROM deployments WHERE id = d.deployment_id))) AS "isKnown"`;

/** Adds no row if the hook was deleted in the meantime. */
export const ADD_DELIVERY = `
  WITH hook AS (SELECT id FROM deploy_hooks WHERE id = $1 FOR KEY SHARE)
  INSERT INTO deploy_hook_deliveries (hook_id, digest, outcome, reason, deployment_id)
  SELECT id, $2, $3, $4, $5::uuid FROM hook
  ON CONFLICT (hook_id, digest) DO UPDATE SET at = now(), outcome = $3, reason = $4, deployment_id = $5`;

export const DELETE_OLD_DELIVERIES =
  "DELETE FROM deploy_hook_deliveries WHERE hook_id = $1 AND at < now() - interval '30 days'";
