import { Module } from '@nestjs/common';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { QuotaUsageModule } from '../quotas/quota-usage.module.js';
import { WebServicesModule } from '../web-services/web-services.module.js';
import { CronJobTimers } from './cron-job-timers.js';
import { ManageCronJobs } from './manage-cron-jobs.js';
import { CronJobs } from './ports.js';
import { PostgresCronJobs } from './postgres-cron-jobs.js';
import { RunCronJobs } from './run-cron-jobs.js';

/** Commands of web services that run at the times of a schedule. */
@Module({
  imports: [ProjectsModule, QuotaUsageModule, RuntimeModule, WebServicesModule],
  providers: [ManageCronJobs, RunCronJobs, CronJobTimers, { provide: CronJobs, useClass: PostgresCronJobs }],
})
export class CronJobsModule {}
