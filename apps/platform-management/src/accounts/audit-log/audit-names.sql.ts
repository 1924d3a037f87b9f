/** The email addresses of the users and the names of the keys and deploy hooks with the ids `$1`. */
export const NAMES_OF_ACTORS = `
  SELECT id, email AS name FROM users WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM platform_keys WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM management_keys WHERE id = ANY($1::uuid[])
  UNION ALL SELECT h.id, w.name FROM deploy_hooks h JOIN web_services w ON w.id = h.web_service_id WHERE h.id = ANY($1::uuid[])`;

/** The present names of the resources with the ids `$1`; deployments and one-off commands have the name of their web service. */
export const NAMES_OF_RESOURCES = `
  ${NAMES_OF_ACTORS}
  UNION ALL SELECT id, name FROM workspaces WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM projects WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM web_services WHERE id = ANY($1::uuid[])
  UNION ALL SELECT d.id, w.name FROM deployments d JOIN web_services w ON w.id = d.web_service_id WHERE d.id = ANY($1::uuid[])
  UNION ALL SELECT r.id, w.name FROM runs r JOIN web_services w ON w.id = r.web_service_id WHERE r.id = ANY($1::uuid[])
  UNION ALL SELECT id, domain FROM custom_domains WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, shown_url FROM log_drains WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM cron_jobs WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM databases WHERE id = ANY($1::uuid[])`;

/** The names at creation of resources that may have been deleted since: those in the first events of the streams `$1`. */
export const FIRST_NAMES = `
  SELECT stream_id, data->>'name' AS name FROM event_store.events
  WHERE stream_id = ANY($1::text[]) AND version = 1 AND data->>'name' IS NOT NULL`;
