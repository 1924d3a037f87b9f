import { Module } from '@nestjs/common';
import { WorkspaceUsage } from './ports.js';
import { PostgresWorkspaceUsage } from './postgres-workspace-usage.js';

/** The usage of quotas, for features with limited creations. */
@Module({
  providers: [{ provide: WorkspaceUsage, useClass: PostgresWorkspaceUsage }],
  exports: [WorkspaceUsage],
})
export class QuotaUsageModule {}
