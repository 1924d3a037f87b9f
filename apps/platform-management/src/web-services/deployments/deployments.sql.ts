import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { IS_REACHED } from '../../projects/reached-projects.js';

const DEPLOYMENT = `id, web_service_id, branch, commit, commit_message, commit_author, status, error, created_at,
  started_at, resolved_at, built_at, finished_at, rollback_of, upload_digest, upload_bytes, image`;

export const FIND_DEPLOYMENT = `SELECT ${DEPLOYMENT} FROM deployments WHERE id = $1 AND web_service_id = $2`;

/**
 * Returns one row with the total for a web service without deployments, and no row for an unknown web service. The page
 * has the deployments with the ordinals below `$5` or above `$6`, after `$7` others.
 */
export const LIST_DEPLOYMENTS = `
  SELECT counted.total, page.* FROM web_services AS service
  JOIN projects p ON p.id = service.project_id
  CROSS JOIN LATERAL (SELECT coalesce(
    (SELECT ordinal FROM deployments WHERE web_service_id = service.id ORDER BY ordinal DESC LIMIT 1), 0) AS total) AS counted
  LEFT JOIN LATERAL (
    (SELECT ${DEPLOYMENT}, ordinal FROM deployments
     WHERE web_service_id = service.id AND $6::integer IS NULL
       AND ordinal <= greatest(coalesce($5::integer - 1, counted.total)::bigint - $7, 0)
     ORDER BY ordinal DESC LIMIT $4)
    UNION ALL
    (SELECT ${DEPLOYMENT}, ordinal FROM deployments WHERE web_service_id = service.id AND ordinal > $6
     ORDER BY ordinal LIMIT $4)) AS page ON true
  WHERE service.id = $3 AND ${IS_REACHED}
  ORDER BY page.ordinal DESC`;

/** The ordinal of the deployment `$1` of the web service `$2`. */
export const ORDINAL_OF_DEPLOYMENT = 'SELECT ordinal FROM deployments WHERE id = $1 AND web_service_id = $2';

export const INSERT_DEPLOYMENT = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('deployments')} (id, web_service_id, number, branch, commit, rollback_of, status, created_at,
    upload_digest, upload_bytes, image, ordinal, commit_message, commit_author)
  SELECT $1::uuid, $2::uuid, $3::integer, $4, $5, $6::uuid, 'queued', $7::timestamptz, $8, $9::integer, $10,
    coalesce((SELECT max(ordinal) FROM ${table('deployments')} WHERE web_service_id = $2::uuid), 0) + 1,
    (SELECT commit_message FROM ${table('deployments')} WHERE id = $6::uuid),
    (SELECT commit_author FROM ${table('deployments')} WHERE id = $6::uuid)`;

export const BEGIN_DEPLOYMENT = ({ table }: ProjectionTables) =>
  `UPDATE ${table('deployments')} SET status = $2, started_at = $3 WHERE id = $1`;

export const SET_SOURCE = ({ table }: ProjectionTables) =>
  `UPDATE ${table('deployments')} SET branch = $2, commit = $3, resolved_at = $4, image = coalesce($5, image) WHERE id = $1`;

export const FINISH_BUILD = ({ table }: ProjectionTables) =>
  `UPDATE ${table('deployments')}
   SET status = 'releasing', commit = CASE WHEN upload_digest IS NULL AND image IS NULL THEN $2 END, built_at = $3 WHERE id = $1`;

export const DESCRIBE_COMMIT = ({ table }: ProjectionTables) =>
  `UPDATE ${table('deployments')} SET commit_message = $2, commit_author = $3 WHERE id = $1`;

export const DELETE_DEPLOYMENTS_OF = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('deployments')} WHERE web_service_id = $1`;

/** Keeps the first `finished_at`, so that a superseded deployment shows when it went live. */
export const END_DEPLOYMENT = ({ table }: ProjectionTables) => `
  UPDATE ${table('deployments')} SET status = $2, error = $3, finished_at = coalesce(finished_at, $4) WHERE id = $1`;
