import { isDeepStrictEqual } from 'node:util';
import type { ChangeWebServiceBody, WebService } from '@postern/sdk';
import { type Blueprint, nameIn, type ServiceBlueprint } from './blueprint.js';

export type Settings = Required<Omit<ChangeWebServiceBody, 'name'>>;

/** The settings that a blueprint describes. What it does not name has its default, but workers and disks stay as they are. */
export const settingsIn = (
  file: Blueprint,
  name: string,
  existing: WebService | undefined,
  { prune }: { readonly prune: boolean },
): Settings => {
  const given = file.services[name]!;
  const workers = Object.entries(file.workers).filter(([, { service }]) => service === name);
  const disk = file.disks[name] ?? existing?.disk ?? null;
  return {
    ...plainSettings(given),
    processes: {
      ...(prune ? {} : existing?.processes),
      ...Object.fromEntries(workers.map(([key, { count }]) => [nameIn(key), count])),
    },
    disk: disk && { size_mib: disk.size_mib },
  };
};

/** Of a repository; an image exposes a port. */
const DEFAULT_PORT = 3_000;

const plainSettings = (given: ServiceBlueprint): Omit<Settings, 'processes' | 'disk'> => ({
  git_repository_url: given.repository ?? null,
  image: given.image ?? null,
  port: given.port ?? (given.image === undefined ? DEFAULT_PORT : null),
  branch: given.branch ?? null,
  root_directory: given.root_directory?.replace(/^\.\/|\/$/g, '') || null,
  watch_paths: given.watch_paths ?? [],
  dockerfile_path: given.dockerfile_path?.replace(/^\.\//, '') ?? null,
  docker_target: given.docker_target ?? null,
  build_args: given.build_args ?? {},
  build_command: given.build_command ?? null,
  start_command: given.start_command ?? null,
  release_command: given.release_command ?? null,
  health_check_path: given.health_check_path ?? null,
  health_check: given.health_check ? withoutAbsent(given.health_check) : null,
  first_byte_timeout_seconds: given.first_byte_timeout_seconds ?? null,
  drain_seconds: given.drain_seconds ?? null,
  min_instances: given.min_instances,
  max_instances: given.max_instances,
  autoscaling: given.autoscaling ? withoutAbsent(given.autoscaling) : null,
  instance: given.instance ?? null,
  environment: given.environment,
  auto_deploy: given.auto_deploy,
  previews: given.previews,
});

/** The settings of an existing web service, in the same form. */
export const settingsOfService = (service: WebService): Settings => ({
  git_repository_url: service.git_repository_url,
  image: service.image ?? null,
  port: service.port,
  branch: service.branch,
  root_directory: service.root_directory ?? null,
  watch_paths: service.watch_paths ?? [],
  dockerfile_path: service.dockerfile_path ?? null,
  docker_target: service.docker_target ?? null,
  build_args: service.build_args ?? {},
  build_command: service.build_command,
  start_command: service.start_command,
  release_command: service.release_command ?? null,
  health_check_path: service.health_check_path,
  health_check: service.health_check ? withoutAbsent(service.health_check) : null,
  first_byte_timeout_seconds: service.first_byte_timeout_seconds ?? null,
  drain_seconds: service.drain_seconds ?? null,
  min_instances: service.min_instances,
  max_instances: service.max_instances,
  autoscaling: service.autoscaling ? withoutAbsent(service.autoscaling) : null,
  instance: service.instance ?? null,
  environment: service.environment,
  auto_deploy: service.auto_deploy ?? true,
  previews: service.previews ?? false,
  processes: service.processes ?? {},
  disk: service.disk ?? null,
});

const withoutAbsent = <Value extends object>(value: Value): { [Name in keyof Value]: NonNullable<Value[Name]> } =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined)) as {
    [Name in keyof Value]: NonNullable<Value[Name]>;
  };

/** The settings that differ. */
export const changedSettings = (before: Settings, after: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(value, before[field as keyof Settings])),
  );
