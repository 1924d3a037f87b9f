import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { IS_REACHED } from '../../projects/reached-projects.js';

const WEB_SERVICE = `w.id, w.project_id, w.name, w.git_repository_url, w.image, w.branch, w.build_command, w.start_command,
  w.health_check_path, w.port, w.min_instances, w.max_instances, w.environment, w.release_command,
  w.instance_memory_mib, w.instance_cpu_millicores, w.drain_seconds, w.processes, w.disk_size_mib, w.auto_deploy, w.root_directory,
  w.watch_paths, w.dockerfile_path, w.docker_target, w.build_args, w.health_check, w.first_byte_timeout_seconds,
  w.autoscaling, w.previews, w.preview_of, w.pull_request, w.pull_request_url, w.status, w.status_reason,
  w.blocked_reason, w.suspended_reason, w.created_at,
  (SELECT s.error FROM commit_statuses s WHERE s.web_service_id = w.id ORDER BY s.changed_at DESC LIMIT 1) AS commit_status_error`;

const CHANGEABLE = `name, git_repository_url, image, branch, build_command, start_command, health_check_path, port,
  min_instances, max_instances, environment, release_command, instance_memory_mib, instance_cpu_millicores,
  drain_seconds, processes, disk_size_mib, auto_deploy, root_directory, watch_paths, dockerfile_path, docker_target,
  build_args, health_check, first_byte_timeout_seconds, autoscaling, previews`;

export const FIND_WEB_SERVICE = `SELECT ${WEB_SERVICE} FROM web_services w WHERE w.id = $1`;

export const FIND_OWNER = 'SELECT user_id, project_id FROM web_services WHERE id = $1';

export const FIND_PREVIEWS = 'SELECT id FROM web_services WHERE preview_of = $1';

/** The last digits of an id are part of the host name of its web service. */
export const FIND_BY_LAST_DIGITS = 'SELECT id, name FROM web_services WHERE right(id::text, 8) = $1 LIMIT 10';

export const LIST_WEB_SERVICES = `
  SELECT ${WEB_SERVICE} FROM web_services w JOIN projects p ON p.id = w.project_id WHERE ${IS_REACHED}
  ORDER BY w.created_at, w.id`;

export const WEB_SERVICE_EVENTS_SINCE =
  'SELECT type, data FROM event_store.events WHERE stream_id = $1 AND version > $2 ORDER BY version';

/** Searches from the end of the stream, because the request is usually recent. */
export const FIND_ORIGIN = `
  SELECT id, metadata FROM event_store.events
  WHERE stream_id = $1 AND type = ANY ($2) AND coalesce(data->>'deployment_id', data->>'release_id') = $3
  ORDER BY version DESC LIMIT 1`;

export const INSERT_SUMMARY = 'INSERT INTO web_service_standings (web_service_id, to_do) VALUES ($1, false)';

/** Compare and swap: a second active deployment matches no row. */
export const UPDATE_SUMMARY = `
  UPDATE web_service_standings SET active_deployment_id = $3, serving_release_id = $4, to_do = $5
  WHERE web_service_id = $1 AND active_deployment_id IS NOT DISTINCT FROM $2`;

export const INSERT_RELEASE = `
  INSERT INTO releases
    (id, web_service_id, deployment_id, artefact_reference, commit, configuration_id, settings, begun_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

/** The reconciler polls this twice a second. */
export const WEB_SERVICES_WITH_WORK =
  'SELECT web_service_id AS id FROM web_service_standings WHERE to_do ORDER BY web_service_id';

/** Only the numbers of instances apply to a serving release; its other settings are stored with the release. */
export const SERVING_RELEASES = `
  SELECT s.web_service_id, r.id AS release_id, r.artefact_reference, r.commit, r.configuration_id, r.settings,
    w.name, w.project_id, w.min_instances, w.max_instances, w.autoscaling, w.processes, w.status
  FROM web_service_standings s
  JOIN releases r ON r.id = s.serving_release_id
  LEFT JOIN web_services w ON w.id = s.web_service_id
  ORDER BY s.web_service_id`;

/** Finds the end of each stream through an index, independent of the length of the stream. */
export const HISTORY_LENGTHS = `
  SELECT s.web_service_id AS id, last.version FROM web_service_standings s CROSS JOIN LATERAL (
    SELECT e.version FROM event_store.events e
    WHERE e.stream_id = $1 || s.web_service_id ORDER BY e.version DESC LIMIT 1
  ) AS last`;

export const INSERT_WEB_SERVICE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('web_services')} (id, user_id, project_id, name, git_repository_url, branch, build_command,
    start_command, health_check_path, port, min_instances, max_instances, environment, status, created_at,
    root_directory, watch_paths, health_check, first_byte_timeout_seconds, release_command, instance_memory_mib,
    instance_cpu_millicores, drain_seconds, previews, preview_of, pull_request, pull_request_url, image,
    autoscaling, dockerfile_path, docker_target, build_args)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'created', $14, $15, $16, $17, $18, $19, $20, $21, $22,
    $23, $24, $25, $26, $27, $28, $29, $30, $31)`;

/** Columns that `$2` does not name keep their values. */
export const CHANGE_WEB_SERVICE = ({ table }: ProjectionTables) => `
  UPDATE ${table('web_services')} AS w SET (${CHANGEABLE}) =
    (SELECT ${CHANGEABLE} FROM jsonb_populate_record(w, $2::jsonb)) WHERE w.id = $1`;

export const DELETE_WEB_SERVICE = ({ table }: ProjectionTables) => `DELETE FROM ${table('web_services')} WHERE id = $1`;

/** Deletes all rows of the web service, which refer to this one; its events contain no values. */
export const DELETE_SUMMARY = 'DELETE FROM web_service_standings WHERE web_service_id = $1';

export const UPDATE_STATUS = ({ table }: ProjectionTables) =>
  `UPDATE ${table('web_services')} SET status = $2, status_reason = $3 WHERE id = $1`;

export const UPDATE_BLOCKED_REASON = ({ table }: ProjectionTables) =>
  `UPDATE ${table('web_services')} SET blocked_reason = $2 WHERE id = $1`;

export const UPDATE_SUSPENDED_REASON = ({ table }: ProjectionTables) =>
  `UPDATE ${table('web_services')} SET suspended_reason = $2 WHERE id = $1`;
