import { listCronJobs, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { cronJobReply } from './cron-job-reply.js';
import { CronJobs } from './cron-jobs.js';

/** Lists the cron jobs of a web service by name. */
@Handles(listCronJobs)
export class ListCronJobs {
  constructor(
    private readonly owners: WebServices,
    private readonly jobs: CronJobs,
  ) {}

  async execute(request: RequestOf<typeof listCronJobs>): Promise<ReplyOf<typeof listCronJobs>> {
    await this.owners.requireOwner(request, request.web_service_id);
    return (await this.jobs.list(request.web_service_id)).map(cronJobReply);
  }
}
