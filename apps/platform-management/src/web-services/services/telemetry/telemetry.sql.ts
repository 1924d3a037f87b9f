/** Reads only web services with unfinished deployments, so that it does not scan all deployments. */
export const DEPLOYMENTS_UNDER_WAY = `
  SELECT d.status, count(*)::int AS deployments,
    count(*) FILTER (WHERE d.status = 'queued' AND s.active_deployment_id IS NULL)::int AS waiting,
    coalesce(max(extract(epoch FROM now() - d.created_at))
      FILTER (WHERE d.status = 'queued' AND s.active_deployment_id IS NULL), 0)::float8 AS seconds
  FROM web_service_standings s JOIN deployments d USING (web_service_id)
  WHERE s.to_do AND d.status = ANY ($1) GROUP BY d.status`;

export const WEB_SERVICES_BY_STATUS = `
  SELECT known.status, count(w.id)::int AS services
  FROM unnest($1::text[]) AS known (status) LEFT JOIN web_services w USING (status) GROUP BY known.status`;
