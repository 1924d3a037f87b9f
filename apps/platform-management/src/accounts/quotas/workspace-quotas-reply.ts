import { limitOf, QUOTA_NAMES, QUOTAS, type QuotaOverrides, type WorkspaceQuotas } from '@postern/contracts';
import type { PlatformQuota } from './workspace-usage.js';

/** Maps limits and usage to the contract; the usage in other services is null. */
export const workspaceQuotasReply = (
  overrides: QuotaOverrides,
  used: Readonly<Record<PlatformQuota, number>>,
): WorkspaceQuotas => {
  const known: Readonly<Record<string, number>> = used;
  const entries = QUOTA_NAMES.map(name => [
    name,
    { used: known[name] ?? null, limit: limitOf(name, overrides), default_limit: QUOTAS[name].limit },
  ]);
  return Object.fromEntries(entries) as WorkspaceQuotas;
};
