import { UsageError } from '../errors.js';
import type { Blueprint } from './blueprint.js';
import type { Existing, ExistingService } from './existing.js';
import { cronSteps, domainSteps } from './job-steps.js';
import { attachmentSteps, serviceSteps, variableSteps } from './service-steps.js';
import { idOf, type PlanOptions, PROJECT, type Step, type Target } from './steps.js';

export interface Plan {
  readonly steps: readonly Step[];
  /** What the owner has to do, one sentence each. */
  readonly notes: readonly string[];
}

/** The ids of what exists. */
export const knownIds = ({ project, services, databases, emailServices }: Existing): Map<string, string> =>
  new Map([
    ...(project ? [[PROJECT, project.id] as const] : []),
    ...[...services].map(([name, { service }]) => [`service ${name}`, service.id] as const),
    ...[...databases].map(([name, { id }]) => [`database ${name}`, id] as const),
    ...[...emailServices].map(([name, { id }]) => [`email service ${name}`, id] as const),
  ]);

/**
 * The steps from what exists to what the blueprint describes, in the order in which they are applied. Nothing is deleted without
 * `prune`, and databases, disks and email services never. @throws UsageError for what cannot be done.
 */
export const planOf = (file: Blueprint, existing: Existing, options: PlanOptions): Plan => {
  const notes = [...(options.notes ?? [])];
  const steps: Step[] = [];
  if (!existing.project)
    steps.push({
      action: 'create',
      what: `project ${file.project}`,
      changes: [],
      apply: async ({ platform, ids }) => ids.set(PROJECT, (await platform.projects.create({ name: file.project })).id),
    });
  steps.push(...databaseSteps(file, existing));
  for (const name of Object.keys(file.services)) {
    const found = existing.services.get(name);
    steps.push(...serviceSteps(file, name, found, options));
    steps.push(...variableSteps(file, name, found, options, notes));
    steps.push(...attachmentSteps(file, name, found, existing, notes));
    steps.push(...cronSteps(file, name, found, options));
    steps.push(...domainSteps(file, name, found, options));
  }
  if (options.prune) steps.push(...[...existing.services].flatMap(([name, found]) => pruned(file, name, found)));
  steps.push(...emailSteps(file, existing));
  return { steps, notes };
};

const databaseSteps = (file: Blueprint, existing: Existing): readonly Step[] =>
  Object.entries(file.databases).flatMap(([name, { kind, plan, version }]) => {
    const found = existing.databases.get(name);
    if (found && (found.kind !== kind || (plan !== undefined && found.plan !== plan)))
      throw new UsageError(
        `databases.${name}: it exists as ${found.kind} with the plan ${found.plan}, and a database cannot be changed. Correct the file, or use another name.`,
      );
    if (found) return [];
    const body = { name, kind, ...(plan !== undefined && { plan }), ...(version !== undefined && { version }) };
    return [
      {
        action: 'create' as const,
        what: `database ${name}`,
        changes: version === undefined ? [kind] : [kind, `version ${version}`],
        apply: async ({ platform, ids }: Target) =>
          ids.set(`database ${name}`, (await platform.databases.create(body)).id),
      },
    ];
  });

const pruned = (file: Blueprint, name: string, { service }: ExistingService): readonly Step[] =>
  Object.hasOwn(file.services, name)
    ? []
    : [
        {
          action: 'delete',
          what: `service ${name}`,
          changes: service.disk ? ['with its disk'] : [],
          apply: ({ platform }) => platform.webServices.delete(service.id),
        },
      ];

const emailSteps = (file: Blueprint, { emailServices }: Existing): readonly Step[] =>
  Object.entries(file.email).flatMap(([name, { domains }]) => {
    const found = emailServices.get(name);
    const what = `email service ${name}`;
    const missing = domains.filter(domain => !found?.domains.includes(domain.toLowerCase()));
    const creation: Step = {
      action: 'create',
      what,
      changes: [],
      apply: async ({ dashboard, ids }) =>
        ids.set(what, (await dashboard!.post<{ id: string }>('/email-services', { name })).id),
    };
    return [
      ...(found ? [] : [creation]),
      ...missing.map(domain => ({
        action: 'create' as const,
        what: `sending domain ${domain} of ${name}`,
        changes: [],
        apply: (target: Target) => target.dashboard!.post(`/email-services/${idOf(target, what)}/domains`, { domain }),
      })),
    ];
  });
