import { type ReplyOf, type RequestOf, removeCronJob } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { CronJobs } from './cron-jobs.js';
import { cronJobNotFound } from './refusals.js';

/** Deletes a cron job, cancels its run in progress and deletes the others. */
@Handles(removeCronJob)
export class RemoveCronJob {
  constructor(
    private readonly owners: WebServices,
    private readonly jobs: CronJobs,
  ) {}

  async execute(request: RequestOf<typeof removeCronJob>): Promise<ReplyOf<typeof removeCronJob>> {
    const { web_service_id: webServiceId, cron_job_id: id } = request;
    await this.owners.requireOwner(request, webServiceId);
    if (!(await this.jobs.remove(webServiceId, id))) throw cronJobNotFound();
    return { id, deleted: true };
  }
}
