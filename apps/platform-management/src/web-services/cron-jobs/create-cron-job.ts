import { createCronJob, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { requireStorable } from '../services/storable-text.js';
import { WebServices } from '../services/web-services.projection.js';
import { cronJobReply } from './cron-job-reply.js';
import { CronJobs } from './cron-jobs.js';
import { Schedule } from './schedule.js';

/** Creates a cron job of a web service. Refuses with `runs_not_supported` if the runtime cannot run commands. */
@Handles(createCronJob)
export class CreateCronJob {
  constructor(
    private readonly owners: WebServices,
    private readonly jobs: CronJobs,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof createCronJob>): Promise<ReplyOf<typeof createCronJob>> {
    const { web_service_id, name, schedule, time_zone: timeZone, command, overlap, enabled } = request;
    await this.owners.requireOwner(request, web_service_id);
    requireStorable('command', command);
    const now = new Date();
    const next = Schedule.parse(schedule, timeZone, now).after(now);
    if (!(await this.runtime.features()).has('runs'))
      throw new Refusal('runs_not_supported', 'this installation does not support commands');
    const settings = { name, schedule, timeZone, command, overlap, timeLimitSeconds: request.time_limit_seconds };
    return cronJobReply(await this.jobs.create(web_service_id, { ...settings, nextAt: enabled ? next : null }));
  }
}
