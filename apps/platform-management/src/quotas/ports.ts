import type { QuotaName, QuotaOverrides } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';

/** The quotas of what platform-management stores; the other services count their own resources. */
export type PlatformQuota = Exclude<QuotaName, 'email_services' | 'api_keys' | 'webhooks'>;

/** How many places a creation takes. */
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

  /** The limit of a creation, exact for all creations in the workspace. */
  limitOf(workspaceId: string, needed: NeededPlaces): CreationLimit {
    return { lock: contentsLock(workspaceId), check: () => this.hasPlaces(workspaceId, needed) };
  }
}
