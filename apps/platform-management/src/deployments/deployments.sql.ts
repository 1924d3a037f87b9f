const DEPLOYMENT = `id, web_service_id, branch, commit, status, error, created_at, started_at, finished_at, rollback_of`;

export const FIND_DEPLOYMENT = `SELECT ${DEPLOYMENT} FROM deployments WHERE id = $1 AND web_service_id = $2`;

/** Returns one row with the total for a web service without deployments, and no row for an unknown web service. */
export const LIST_DEPLOYMENTS = `
  SELECT counted.total, page.* FROM web_services AS service
  CROSS JOIN LATERAL
    (SELECT count(*)::integer AS total FROM deployments WHERE web_service_id = service.id) AS counted
  LEFT JOIN LATERAL
    (SELECT ${DEPLOYMENT}, number FROM deployments WHERE web_service_id = service.id
     ORDER BY number DESC LIMIT $3 OFFSET $4) AS page ON true
  WHERE service.id = $1 AND service.user_id = $2
  ORDER BY page.number DESC`;
