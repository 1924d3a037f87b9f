import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../accounts/quotas/quota-usage.module.js';
import { ListPlatformProblems } from './list-platform-problems.js';

/** What is wrong in a workspace, for its home page. */
@Module({ imports: [QuotaUsageModule], providers: [ListPlatformProblems] })
export class ProblemsModule {}
