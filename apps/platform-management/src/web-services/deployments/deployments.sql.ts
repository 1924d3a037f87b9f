import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { IS_REACHED } from '../../projects/reached-projects.js';

const DEPLOYMENT = `id, web_service_id, branch, commit, status, error, created_at, started_at, finished_at, rollback_of`;

export const FIND_DEPLOYMENT = `SELECT ${DEPLOYMENT} FROM deployments WHERE id = $1 AND web_service_id = $2`;

/** Returns one row with the total for a web service without deployments, and no row for an unknown web service. */
export const LIST_DEPLOYMENTS = `
  SELECT counted.total, page.* FROM web_services AS service
  JOIN projects p ON p.id = service.project_id
  CROSS JOIN LATERAL
    (SELECT count(*)::integer AS total FROM deployments WHERE web_service_id = service.id) AS counted
  LEFT JOIN LATERAL
    (SELECT ${DEPLOYMENT}, number FROM deployments WHERE web_service_id = service.id
     ORDER BY number DESC LIMIT $5 OFFSET $6) AS page ON true
  WHERE service.id = $4 AND ${IS_REACHED}
  ORDER BY page.number DESC`;

export const INSERT_DEPLOYMENT = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('deployments')} (id, web_service_id, number, branch, commit, rollback_of, status, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7)`;

export const BEGIN_DEPLOYMENT = ({ table }: ProjectionTables) =>
  `UPDATE ${table('deployments')} SET status = $2, started_at = $3 WHERE id = $1`;

export const SET_SOURCE = ({ table }: ProjectionTables) =>
  `UPDATE ${table('deployments')} SET branch = $2, commit = $3 WHERE id = $1`;

export const FINISH_BUILD = ({ table }: ProjectionTables) =>
  `UPDATE ${table('deployments')} SET status = 'releasing', commit = $2 WHERE id = $1`;

export const DELETE_DEPLOYMENTS_OF = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('deployments')} WHERE web_service_id = $1`;

/** Keeps the first `finished_at`, so that a superseded deployment shows when it went live. */
export const END_DEPLOYMENT = ({ table }: ProjectionTables) => `
  UPDATE ${table('deployments')} SET status = $2, error = $3, finished_at = coalesce(finished_at, $4) WHERE id = $1`;
