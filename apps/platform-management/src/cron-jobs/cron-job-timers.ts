import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { RunCronJobs } from './run-cron-jobs.js';

/** Runs due cron jobs every second. */
@Injectable()
export class CronJobTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly jobs: RunCronJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(1_000, 'run cron jobs', () => this.jobs.execute());
  }
}
