import { changeCronJob, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { requireStorable } from '../services/storable-text.js';
import { WebServices } from '../services/web-services.projection.js';
import { cronJobReply } from './cron-job-reply.js';
import { CronJobs } from './cron-jobs.js';
import { Schedule } from './schedule.js';

/** Changes a cron job. A changed schedule applies from now on; earlier times of it are not run. */
@Handles(changeCronJob)
export class ChangeCronJob {
  constructor(
    private readonly owners: WebServices,
    private readonly jobs: CronJobs,
  ) {}

  async execute(request: RequestOf<typeof changeCronJob>): Promise<ReplyOf<typeof changeCronJob>> {
    const { web_service_id: webServiceId, cron_job_id: id } = request;
    await this.owners.requireOwner(request, webServiceId);
    const before = await this.jobs.require(webServiceId, id);
    requireStorable('command', request.command);
    const { name = before.name, command = before.command, overlap = before.overlap } = request;
    const { schedule = before.schedule, time_zone: timeZone = before.timeZone } = request;
    const { enabled = before.nextAt !== null } = request;
    const now = new Date();
    const next = Schedule.parse(schedule, timeZone, now).after(now);
    const isSame = schedule === before.schedule && timeZone === before.timeZone && before.nextAt !== null;
    await this.jobs.change(webServiceId, id, {
      ...{ name, schedule, timeZone, command, overlap },
      timeLimitSeconds: request.time_limit_seconds ?? before.timeLimitSeconds,
      nextAt: enabled ? (isSame ? before.nextAt : next) : null,
    });
    return cronJobReply(await this.jobs.require(webServiceId, id));
  }
}
