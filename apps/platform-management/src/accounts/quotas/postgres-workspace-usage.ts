import { Injectable } from '@nestjs/common';
import { limitOf, type QuotaOverrides, quotaReached } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { workspaceNotFound, workspaceStream } from '../workspaces/workspace.js';
import { type NeededPlaces, type PlatformQuota, WorkspaceUsage } from './ports.js';
import { COUNT_USAGE, FIND_LIMITS } from './quotas.sql.js';

/** Resources of the workspace itself. All others belong to a project, and a workspace with projects cannot be deleted. */
const OF_WORKSPACE: readonly PlatformQuota[] = ['projects', 'platform_keys', 'databases'];

/** Counts the rows of the read models. */
@Injectable()
export class PostgresWorkspaceUsage extends WorkspaceUsage {
  constructor(private readonly database: Database) {
    super();
  }

  override async overridesOf(workspaceId: string): Promise<QuotaOverrides> {
    const { rows } = await this.database.pool.query<{ limits: QuotaOverrides }>(FIND_LIMITS, [workspaceId]);
    return rows[0]?.limits ?? {};
  }

  override async usageOf(workspaceId: string): Promise<Readonly<Record<PlatformQuota, number>>> {
    const { rows } = await this.database.pool.query<Record<PlatformQuota, number>>(COUNT_USAGE, [workspaceId]);
    return rows[0]!;
  }

  override async hasPlaces(workspaceId: string, needed: NeededPlaces): Promise<void> {
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
}
