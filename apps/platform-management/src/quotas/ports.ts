import type { QuotaName, QuotaOverrides } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';

/** The quotas of what platform-management stores; the other services count their own resources. */
export type PlatformQuota = Exclude<QuotaName, 'email_services' | 'api_keys' | 'webhooks'>;

/** How many places a creation takes; of memory and disks, how many MiB. */
export type NeededPlaces = Partial<Readonly<Record<PlatformQuota, number>>>;

/** The name of the lock of everything that is created in a workspace, and of its deletion. */
export const contentsLock = (workspaceId: string): string => `quotas-of-${workspaceId}`;

/** What workspaces use of their quotas. */
export abstract class WorkspaceUsage {
  /** The limits that an operator has set. */
  abstract overridesOf(workspaceId: string): Promise<QuotaOverrides>;
  abstract usageOf(workspaceId: string): Promise<Readonly<Record<PlatformQuota, number>>>;
  /**
   * Refuses `quota_reached` unless there are places now, which another creation may take meanwhile, and
   * `workspace_not_found` for projects, databases and keys in a deleted workspace; the rest belongs to projects.
   */
  abstract hasPlaces(workspaceId: string, needed: NeededPlaces): Promise<void>;

  /**
   * The limit of a creation or change, exact for all of them in the workspace. What a change takes depends on what there
   * is, so it is found out when no other change can come between.
   */
  limitOf(workspaceId: string, needed: NeededPlaces | (() => Promise<NeededPlaces>)): CreationLimit {
    const places = async () => (typeof needed === 'function' ? needed() : needed);
    return { lock: contentsLock(workspaceId), check: async () => this.hasPlaces(workspaceId, await places()) };
  }
}
