import { Module } from '@nestjs/common';
import { WorkspaceUsage } from './workspace-usage.js';

/** The usage of quotas, for features with limited creations. */
@Module({
  providers: [WorkspaceUsage],
  exports: [WorkspaceUsage],
})
export class QuotaUsageModule {}
