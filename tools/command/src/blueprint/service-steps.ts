import { isDeepStrictEqual } from 'node:util';
import type { CreateWebServiceBody } from '@postern/sdk';
import { UsageError } from '../errors.js';
import type { Blueprint } from './blueprint.js';
import type { Existing, ExistingService } from './existing.js';
import { changedSettings, type Settings, settingsIn, settingsOfService } from './service-settings.js';
import { idOf, type PlanOptions, PROJECT, type Step, type Target } from './steps.js';

/** Settings that a web service can have only after its creation. */
const LATER = ['release_command', 'drain_seconds', 'instance', 'processes', 'disk', 'auto_deploy'] as const;
const LATER_DEFAULTS = {
  release_command: null,
  drain_seconds: null,
  instance: null,
  processes: {},
  disk: null,
  auto_deploy: true,
} satisfies Pick<Settings, (typeof LATER)[number]>;

export const serviceSteps = (
  file: Blueprint,
  name: string,
  found: ExistingService | undefined,
  options: { readonly prune: boolean },
): readonly Step[] => {
  const wanted = settingsIn(file, name, found?.service, options);
  const what = `service ${name}`;
  if (!found) {
    return [
      {
        action: 'create',
        what,
        changes: [wanted.image ?? wanted.git_repository_url ?? ''],
        apply: async target => {
          const { release_command, drain_seconds, instance, processes, disk, auto_deploy, ...first } = wanted;
          const body: CreateWebServiceBody = { name, project_id: idOf(target, PROJECT), ...first };
          const { id } = await target.platform.webServices.create(body);
          target.ids.set(what, id);
          const later = { release_command, drain_seconds, instance, processes, disk, auto_deploy };
          const changes = Object.fromEntries(
            LATER.filter(key => !isDeepStrictEqual(later[key], LATER_DEFAULTS[key])).map(key => [key, later[key]]),
          );
          if (Object.keys(changes).length > 0) await target.platform.webServices.change(id, changes);
        },
      },
    ];
  }
  const before = settingsOfService(found.service);
  if (before.disk && wanted.disk && wanted.disk.size_mib < before.disk.size_mib)
    throw new UsageError(`disks.${name}.size_mib: a disk can only grow; it has ${before.disk.size_mib} MiB.`);
  const changes = changedSettings(before, wanted);
  if (Object.keys(changes).length === 0) return [];
  return [
    {
      action: 'change',
      what,
      changes: Object.entries(changes).map(
        ([field, value]) => `${field}: ${JSON.stringify(before[field as keyof Settings])} → ${JSON.stringify(value)}`,
      ),
      apply: ({ platform }) => platform.webServices.change(found.service.id, changes),
    },
  ];
};

export const variableSteps = (
  file: Blueprint,
  name: string,
  found: ExistingService | undefined,
  { prune, secrets }: PlanOptions,
  notes: string[],
): readonly Step[] => {
  const known = new Map((found?.variables ?? []).map(each => [each.key, each]));
  const given = Object.entries(file.services[name]!.env);
  const changed = given.flatMap(([key, value]) => {
    const before = known.get(key);
    if (typeof value === 'object') {
      const secret = secrets?.get(`${name}/${key}`);
      if (before) return [];
      if (secret !== undefined) return [{ key, value: secret, is_secret: true }];
      notes.push(`${key} of ${name} has no value yet: postern env set ${key} --secret --service ${name}`);
      return [];
    }
    const text = String(value);
    return before && !before.is_secret && before.value === text ? [] : [{ key, value: text, is_secret: false }];
  });
  const names = new Set(given.map(([key]) => key));
  const unwanted = prune ? [...known.values()].filter(({ key }) => !names.has(key)) : [];
  return [
    ...(changed.length === 0
      ? []
      : [
          {
            action: changed.some(({ key }) => known.has(key)) ? ('change' as const) : ('create' as const),
            what: `variables of ${name}`,
            changes: changed.map(({ key }) => key),
            apply: (target: Target) => target.platform.environment.setAll(idOf(target, `service ${name}`), changed),
          },
        ]),
    ...unwanted.map(({ id, key }) => ({
      action: 'delete' as const,
      what: `variable ${key} of ${name}`,
      changes: [],
      apply: (target: Target) => target.platform.environment.delete(found!.service.id, id),
    })),
  ];
};

export const attachmentSteps = (
  file: Blueprint,
  name: string,
  found: ExistingService | undefined,
  existing: Existing,
  notes: string[],
): readonly Step[] =>
  Object.entries(file.services[name]!.databases).flatMap(([database, variable]) => {
    if (!Object.hasOwn(file.databases, database) && !existing.databases.has(database))
      throw new UsageError(
        `services.${name}.databases.${database}: there is no such database. Add it to databases, or correct the name.`,
      );
    const before = found?.attachments.get(database);
    if (before === variable) return [];
    if (before !== undefined) {
      notes.push(`${database} is attached to ${name} as ${before}: detach it on the dashboard, then run this again.`);
      return [];
    }
    return [
      {
        action: 'create' as const,
        what: `attachment of ${database} to ${name}`,
        changes: [variable],
        apply: (target: Target) =>
          target.platform.databases.attach(idOf(target, `database ${database}`), {
            web_service_id: idOf(target, `service ${name}`),
            variable,
          }),
      },
    ];
  });
