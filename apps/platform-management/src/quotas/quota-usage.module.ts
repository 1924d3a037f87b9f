import { Module } from '@nestjs/common';
import { WorkspaceUsage } from './ports.js';
import { PostgresWorkspaceUsage } from './postgres-workspace-usage.js';

/** The use of quotas, for the features whose creations are limited. */
@Module({
  providers: [{ provide: WorkspaceUsage, useClass: PostgresWorkspaceUsage }],
  exports: [WorkspaceUsage],
})
export class QuotaUsageModule {}
