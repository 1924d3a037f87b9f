import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../../accounts/quotas/quota-usage.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { ChangeCronJob } from './change-cron-job.js';
import { CreateCronJob } from './create-cron-job.js';
import { CronJobs } from './cron-jobs.js';
import { ListCronJobRuns } from './list-cron-job-runs.js';
import { ListCronJobs } from './list-cron-jobs.js';
import { RemoveCronJob } from './remove-cron-job.js';
import { RunCronJobs } from './run-cron-jobs.js';

/** Commands of web services that run at the times of a schedule. */
@Module({
  imports: [ProjectsModule, QuotaUsageModule, RuntimeModule, WebServicesModule],
  providers: [CreateCronJob, ChangeCronJob, RemoveCronJob, ListCronJobs, ListCronJobRuns, RunCronJobs, CronJobs],
})
export class CronJobsModule {}
