import { type Blueprint, nameIn } from './blueprint.js';
import type { ExistingService } from './existing.js';
import { idOf, type Step, type Target } from './steps.js';

export const cronSteps = (
  file: Blueprint,
  name: string,
  found: ExistingService | undefined,
  { prune }: { readonly prune: boolean },
): readonly Step[] => {
  const wanted = Object.entries(file.cron)
    .filter(([, { service }]) => service === name)
    .map(([key, { service: _, ...job }]) => ({ name: nameIn(key), ...job }));
  const known = new Map((found?.cronJobs ?? []).map(job => [job.name, job]));
  const steps = wanted.flatMap((job): Step[] => {
    const before = known.get(job.name);
    const what = `cron job ${job.name} of ${name}`;
    const { time_limit_seconds, ...rest } = job;
    const body = { ...rest, ...(time_limit_seconds === undefined ? {} : { time_limit_seconds }) };
    if (!before)
      return [
        {
          action: 'create',
          what,
          changes: [job.schedule],
          apply: target => target.platform.cronJobs.create(idOf(target, `service ${name}`), body),
        },
      ];
    const changes = Object.fromEntries(
      Object.entries(body).filter(([field, value]) => value !== before[field as keyof typeof before]),
    );
    if (Object.keys(changes).length === 0) return [];
    return [
      {
        action: 'change',
        what,
        changes: Object.entries(changes).map(([field, value]) => `${field}: ${String(value)}`),
        apply: ({ platform }) => platform.cronJobs.change(found!.service.id, before.id, changes),
      },
    ];
  });
  const names = new Set(wanted.map(job => job.name));
  const unwanted = prune ? [...known.values()].filter(job => !names.has(job.name)) : [];
  return [
    ...steps,
    ...unwanted.map(({ id, name: job }) => ({
      action: 'delete' as const,
      what: `cron job ${job} of ${name}`,
      changes: [],
      apply: ({ platform }: Target) => platform.cronJobs.delete(found!.service.id, id),
    })),
  ];
};

export const domainSteps = (
  file: Blueprint,
  name: string,
  found: ExistingService | undefined,
  { prune }: { readonly prune: boolean },
): readonly Step[] => {
  const wanted = Object.entries(file.domains).flatMap(([domain, { service }]) =>
    service === name ? [domain.toLowerCase()] : [],
  );
  const known = found?.domains ?? [];
  const missing = wanted.filter(domain => !known.some(each => each.domain === domain));
  const unwanted = prune ? known.filter(({ domain }) => !wanted.includes(domain)) : [];
  return [
    ...missing.map(domain => ({
      action: 'create' as const,
      what: `domain ${domain} of ${name}`,
      changes: [],
      apply: (target: Target) => target.platform.domains.add(idOf(target, `service ${name}`), domain),
    })),
    ...unwanted.map(({ id, domain }) => ({
      action: 'delete' as const,
      what: `domain ${domain} of ${name}`,
      changes: [],
      apply: ({ platform }: Target) => platform.domains.delete(found!.service.id, id),
    })),
  ];
};
