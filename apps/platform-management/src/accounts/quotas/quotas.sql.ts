import { INSTANCE_MEMORY_MIB } from '@postern/contracts';
import type { ProjectionTables } from '@postern/event-sourcing/postgres';

const WEB_SERVICES = 'FROM web_services w JOIN projects p ON p.id = w.project_id WHERE p.workspace_id = $1';

const PROCESSES = '(SELECT coalesce(sum(value::integer), 0) FROM jsonb_each_text(w.processes))';

const RUNS = `FROM runs r JOIN web_services w ON w.id = r.web_service_id JOIN projects p ON p.id = w.project_id
     WHERE p.workspace_id = $1 AND r.finished_at IS NULL`;

/** A serving web service uses at least the memory of its serving release, whatever its settings are now. */
const MEMORY_OF_INSTANCE = `greatest(
  coalesce(w.instance_memory_mib, ${INSTANCE_MEMORY_MIB}),
  (SELECT coalesce((r.settings #>> '{instance,memory_mib}')::integer, ${INSTANCE_MEMORY_MIB})
   FROM web_service_standings s JOIN releases r ON r.id = s.serving_release_id WHERE s.web_service_id = w.id))`;

/** A disk that was removed from the settings still contains its files. */
const DISK = `coalesce(greatest(
  w.disk_size_mib,
  (SELECT max((r.settings #>> '{disk,size_mib}')::integer) FROM releases r WHERE r.web_service_id = w.id)), 0)`;

const MEMORY_OF_RUN = `coalesce((r.release #>> '{size,memoryMib}')::integer, ${INSTANCE_MEMORY_MIB})`;

const DATABASES = "FROM databases WHERE workspace_id = $1 AND status <> 'deleting'";

const MIB = 1_048_576;

/** Counts the usage of workspace `$1`. A running command counts as an instance. A database in deletion no longer counts. */
export const COUNT_USAGE = `
  SELECT
    (SELECT count(*) FROM platform_keys WHERE workspace_id = $1)::integer AS platform_keys,
    (SELECT count(*) FROM projects WHERE workspace_id = $1)::integer AS projects,
    (SELECT count(*) ${WEB_SERVICES})::integer AS web_services,
    ((SELECT coalesce(sum(w.max_instances + ${PROCESSES}), 0) ${WEB_SERVICES})
     + (SELECT count(*) ${RUNS}))::integer AS instances,
    ((SELECT coalesce(sum((w.max_instances + ${PROCESSES}) * ${MEMORY_OF_INSTANCE}), 0) ${WEB_SERVICES})
     + (SELECT coalesce(sum(${MEMORY_OF_RUN}), 0) ${RUNS})
     + (SELECT coalesce(sum(memory_bytes / ${MIB}), 0) ${DATABASES}))::integer AS memory_mib,
    ((SELECT coalesce(sum(${DISK}), 0) ${WEB_SERVICES})
     + (SELECT coalesce(sum(storage_bytes / ${MIB}), 0) ${DATABASES}))::integer AS disk_mib,
    (SELECT count(*) FROM custom_domains d JOIN web_services w ON w.id = d.web_service_id
     JOIN projects p ON p.id = w.project_id WHERE p.workspace_id = $1)::integer AS custom_domains,
    (SELECT count(*) ${DATABASES})::integer AS databases,
    (SELECT count(*) FROM database_creations
     WHERE workspace_id = $1 AND created_at > now() - interval '24 hours')::integer AS database_creations`;

export const FIND_LIMITS = 'SELECT limits FROM workspace_quotas WHERE workspace_id = $1';

export const DELETE_LIMITS = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('workspace_quotas')} WHERE workspace_id = $1`;

export const SAVE_LIMITS = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('workspace_quotas')} (workspace_id, limits) VALUES ($1, $2)
  ON CONFLICT (workspace_id) DO UPDATE SET limits = excluded.limits`;
