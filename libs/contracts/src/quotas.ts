import { z } from 'zod';
import { Refusal } from './refusal.js';

/**
 * The quotas of a workspace, with their defaults. An operator can set another limit for a workspace. `per` is the scope of
 * the limit.
 */
export const QUOTAS = {
  email_services: { limit: 20, per: 'workspace', noun: 'email services' },
  api_keys: { limit: 50, per: 'email service', noun: 'API keys' },
  webhooks: { limit: 20, per: 'email service', noun: 'webhooks' },
  platform_keys: { limit: 200, per: 'workspace', noun: 'platform keys' },
  projects: { limit: 50, per: 'workspace', noun: 'projects' },
  web_services: { limit: 50, per: 'workspace', noun: 'web services' },
  instances: { limit: 100, per: 'workspace', noun: 'instances, processes and commands' },
  databases: { limit: 20, per: 'workspace', noun: 'databases' },
  database_creations: { limit: 50, per: 'workspace and 24 hours', noun: 'created databases' },
  memory_mib: { limit: 65_536, per: 'workspace', noun: 'MiB of memory of instances and databases' },
  disk_mib: { limit: 262_144, per: 'workspace', noun: 'MiB of disks and databases' },
  custom_domains: { limit: 100, per: 'workspace', noun: 'custom domains' },
} as const;

export type QuotaName = keyof typeof QUOTAS;
export const QUOTA_NAMES = Object.keys(QUOTAS) as readonly QuotaName[];

/** The number of workspaces that a user may create. */
export const WORKSPACES_PER_USER = 10;

/** The memory counted for an instance without its own memory limit. */
export const INSTANCE_MEMORY_MIB = 512;

/** The largest limit that an operator can set. */
const MAX_LIMIT = 100_000_000;

const forEachQuota = <Shape extends z.ZodType>(shapeOf: (name: QuotaName) => Shape): Record<QuotaName, Shape> =>
  Object.fromEntries(QUOTA_NAMES.map(name => [name, shapeOf(name)])) as Record<QuotaName, Shape>;

/** The limits that an operator has set for a workspace; all others are the defaults. */
export const quotaOverrides = z.partialRecord(z.enum(QUOTA_NAMES), z.int().nonnegative());
export type QuotaOverrides = z.output<typeof quotaOverrides>;

/** A change by an operator: `null` returns to the default. */
export const quotaChanges = z.strictObject(
  forEachQuota(name =>
    z
      .int()
      .min(0)
      .max(MAX_LIMIT)
      .nullable()
      .optional()
      .describe(`The most ${QUOTAS[name].noun} per ${QUOTAS[name].per}; null for the default, ${QUOTAS[name].limit}.`),
  ),
);
export type QuotaChanges = z.output<typeof quotaChanges>;

export const quotaUse = z.object({
  used: z.int().nonnegative().nullable().describe('Null for a quota that each email service has.'),
  limit: z.int().nonnegative(),
  default_limit: z.int().nonnegative(),
});

/** The use and the limit of every quota of a workspace. */
export const workspaceQuotas = z.object(forEachQuota(() => quotaUse));
export type WorkspaceQuotas = z.output<typeof workspaceQuotas>;

/** The limit of a workspace with these overrides. */
export const limitOf = (name: QuotaName, overrides: QuotaOverrides = {}): number =>
  overrides[name] ?? QUOTAS[name].limit;

/** The refusal of a creation past a limit; the message names the quota. */
export const quotaReached = (name: QuotaName | 'workspaces', limit: number): Refusal => {
  const { noun, per } = name === 'workspaces' ? { noun: 'workspaces', per: 'user' } : QUOTAS[name];
  return new Refusal(
    'quota_reached',
    `at most ${limit} ${noun} per ${per} (quota ${name}). ` +
      'Delete unused resources, or ask the operator for a higher quota.',
    { quota: name, limit },
  );
};
