import type { QuotaName, QuotaOverrides } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';

/** Quotas of the resources of platform-management; the other services count their own resources. */
export type PlatformQuota = Exclude<QuotaName, 'email_services' | 'api_keys' | 'webhooks'>;

/** The amount of each quota that a creation uses; memory and disks are in MiB. */
export type NeededPlaces = Partial<Readonly<Record<PlatformQuota, number>>>;

/** Name of the lock for all creations in a workspace and for its deletion. */
export const contentsLock = (workspaceId: string): string => `quotas-of-${workspaceId}`;

/** The usage of quotas by workspaces. */
export abstract class WorkspaceUsage {
  /** Returns the limits that an operator has set. */
  abstract overridesOf(workspaceId: string): Promise<QuotaOverrides>;
  abstract usageOf(workspaceId: string): Promise<Readonly<Record<PlatformQuota, number>>>;
  /**
   * Refuses with `quota_reached` if a limit would be exceeded; without the lock, a concurrent creation may use the same quota.
   * Refuses with `workspace_not_found` for projects, databases and keys in a deleted workspace; other resources belong to projects.
   */
  abstract hasPlaces(workspaceId: string, needed: NeededPlaces): Promise<void>;

  /**
   * Returns the limit for a creation or change, exact for concurrent ones in the workspace.
   * The amount that a change needs depends on the current state, so `needed` is called under the lock.
   */
  limitOf(workspaceId: string, needed: NeededPlaces | (() => Promise<NeededPlaces>)): CreationLimit {
    const places = async () => (typeof needed === 'function' ? needed() : needed);
    return { lock: contentsLock(workspaceId), check: async () => this.hasPlaces(workspaceId, await places()) };
  }
}
