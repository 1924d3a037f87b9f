import { Injectable } from '@nestjs/common';
import type { QuotaName, QuotaOverrides } from '@postern/contracts';
import { limitOf, quotaReached } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';
import { Database } from '@postern/service-host';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { workspaceNotFound, workspaceStream } from '../workspaces/workspace.js';
import { COUNT_USAGE, FIND_LIMITS } from './quotas.sql.js';

/** Quotas of the resources of platform-management; the other services count their own resources. */
export type PlatformQuota = Exclude<QuotaName, 'email_services' | 'api_keys' | 'webhooks'>;

/** The amount of each quota that a creation uses; memory and disks are in MiB. */
export type NeededPlaces = Partial<Readonly<Record<PlatformQuota, number>>>;

/** Name of the lock for all creations in a workspace and for its deletion. */
export const contentsLock = (workspaceId: string): string => `quotas-of-${workspaceId}`;

/** Resources of the workspace itself. All others belong to a project, and a workspace with projects cannot be deleted. */
const OF_WORKSPACE: readonly PlatformQuota[] = ['projects', 'platform_keys', 'databases'];

/** Counts the rows of the read models. */
@Injectable()
export class WorkspaceUsage {
  constructor(private readonly database: Database) {}

  /** Returns the limits that an operator has set. */
  async overridesOf(workspaceId: string): Promise<QuotaOverrides> {
    const { rows } = await this.database.pool.query<{ limits: QuotaOverrides }>(FIND_LIMITS, [workspaceId]);
    return rows[0]?.limits ?? {};
  }

  async usageOf(workspaceId: string): Promise<Readonly<Record<PlatformQuota, number>>> {
    const { rows } = await this.database.pool.query<Record<PlatformQuota, number>>(COUNT_USAGE, [workspaceId]);
    return rows[0]!;
  }

  /**
   * Refuses with `quota_reached` if a limit would be exceeded; without the lock, a concurrent creation may use the same quota.
   * Refuses with `workspace_not_found` for projects, databases and keys in a deleted workspace; other resources belong to projects.
   */
  async hasPlaces(workspaceId: string, needed: NeededPlaces): Promise<void> {
    if (Object.keys(needed).length === 0) return;
    const isOfWorkspace = OF_WORKSPACE.some(name => needed[name] !== undefined);
    if (isOfWorkspace && (await isDeleted(this.database.pool, workspaceStream(workspaceId)))) throw workspaceNotFound();
    const overrides = await this.overridesOf(workspaceId);
    const used = await this.usageOf(workspaceId);
    for (const [name, places] of Object.entries(needed) as [PlatformQuota, number][]) {
      const limit = limitOf(name, overrides);
      if (used[name] + places > limit) throw quotaReached(name, limit);
    }
  }

  /**
   * Returns the limit for a creation or change, exact for concurrent ones in the workspace.
   * The amount that a change needs depends on the current state, so `needed` is called under the lock.
   */
  limitOf(workspaceId: string, needed: NeededPlaces | (() => Promise<NeededPlaces>)): CreationLimit {
    const places = async () => (typeof needed === 'function' ? needed() : needed);
    return { lock: contentsLock(workspaceId), check: async () => this.hasPlaces(workspaceId, await places()) };
  }
}
