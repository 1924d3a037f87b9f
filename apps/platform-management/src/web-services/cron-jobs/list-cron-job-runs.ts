import { listCronJobRuns, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { runReply } from '../runs/runs.js';
import { WebServices } from '../services/web-services.projection.js';
import { CronJobs } from './cron-jobs.js';

/** Lists the runs of a cron job, newest first. */
@Handles(listCronJobRuns)
export class ListCronJobRuns {
  constructor(
    private readonly owners: WebServices,
    private readonly jobs: CronJobs,
  ) {}

  async execute(request: RequestOf<typeof listCronJobRuns>): Promise<ReplyOf<typeof listCronJobRuns>> {
    const { web_service_id, cron_job_id, limit, offset } = request;
    await this.owners.requireOwner(request, web_service_id);
    await this.jobs.require(web_service_id, cron_job_id);
    const { items, total } = await this.jobs.runsOf(cron_job_id, { limit, offset });
    return { items: items.map(runReply), total, limit, offset };
  }
}
