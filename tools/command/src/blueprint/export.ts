import { type Blueprint, service as serviceShape } from './blueprint.js';
import type { Existing } from './existing.js';
import { settingsOfService } from './service-settings.js';

/** The blueprint of what exists. The values of secrets are left out. */
export const blueprintOf = (projectName: string, existing: Existing): Blueprint => {
  const services = [...existing.services];
  const attached = new Set(services.flatMap(([, { attachments }]) => [...attachments.keys()]));
  const workers = services.flatMap(([service, found]) =>
    Object.entries(found.service.processes ?? {}).map(([type, count]) => ({ name: type, value: { service, count } })),
  );
  const cron = services.flatMap(([service, { cronJobs }]) =>
    cronJobs.map(({ name, schedule, time_zone, command, overlap, time_limit_seconds, enabled }) => ({
      name,
      value: { service, schedule, time_zone, command, overlap, time_limit_seconds, enabled },
    })),
  );
  return {
    project: projectName,
    services: Object.fromEntries(
      services.map(([name, { service, variables, attachments }]) => {
        const { git_repository_url, processes: _, disk: __, ...settings } = settingsOfService(service);
        const given = Object.entries(settings).filter(([, value]) => value !== null && !isEmpty(value));
        return [
          name,
          serviceShape.parse({
            ...(git_repository_url !== null && { repository: git_repository_url }),
            ...Object.fromEntries(given),
            env: Object.fromEntries(
              variables.map(({ key, value, is_secret }) => [key, is_secret ? { secret: true } : value]),
            ),
            databases: Object.fromEntries(attachments),
          }),
        ];
      }),
    ),
    workers: keyed(workers),
    cron: keyed(cron),
    databases: Object.fromEntries(
      [...existing.databases].flatMap(([name, { kind, plan }]) => (attached.has(name) ? [[name, { kind, plan }]] : [])),
    ),
    disks: Object.fromEntries(
      services.flatMap(([name, { service }]) => (service.disk ? [[name, { size_mib: service.disk.size_mib }]] : [])),
    ),
    domains: Object.fromEntries(
      services.flatMap(([service, { domains }]) => domains.map(({ domain }) => [domain, { service }])),
    ),
    email: Object.fromEntries(
      [...existing.emailServices].map(([name, { domains }]) => [name, { domains: [...domains] }]),
    ),
  };
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** By name, or by `service/name` if several web services have the name. */
const keyed = <Value extends { readonly service: string }>(
  entries: readonly { readonly name: string; readonly value: Value }[],
): Record<string, Value> => {
  return Object.fromEntries(
    entries.map(({ name, value }) => [
      entries.filter(other => other.name === name).length > 1 ? `${value.service}/${name}` : name,
      value,
    ]),
  );
};
