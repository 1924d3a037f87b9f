import { Injectable } from '@nestjs/common';
import {
  changeCronJob,
  createCronJob,
  listCronJobRuns,
  listCronJobs,
  Refusal,
  type ReplyOf,
  type RequestOf,
  removeCronJob,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import type { Reach } from '../projects/reached-projects.js';
import { runReply } from '../runs/ports.js';
import { WebServiceOwners } from '../web-services/ports.js';
import { requireStorable } from '../web-services/storable-text.js';
import { cronJobNotFound, cronJobReply } from './cron-job-reply.js';
import { type CronJob, CronJobs } from './ports.js';
import { Schedule } from './schedule.js';

/** Creates, reads, changes and deletes cron jobs of web services. */
@Injectable()
export class ManageCronJobs {
  constructor(
    private readonly owners: WebServiceOwners,
    private readonly jobs: CronJobs,
    private readonly runtime: Runtime,
  ) {}

  @Handles(createCronJob)
  async create(request: RequestOf<typeof createCronJob>): Promise<ReplyOf<typeof createCronJob>> {
    const { web_service_id, name, schedule, command, overlap, time_limit_seconds, enabled } = request;
    await this.owners.requireOwner(request, web_service_id);
    requireStorable('command', command);
    const now = new Date();
    const next = Schedule.parse(schedule, now).after(now);
    if (!(await this.runtime.features()).has('runs'))
      throw new Refusal('runs_not_supported', 'this installation does not support commands');
    const settings = { name, schedule, command, overlap, timeLimitSeconds: time_limit_seconds };
    return cronJobReply(await this.jobs.create(web_service_id, { ...settings, nextAt: enabled ? next : null }));
  }

  @Handles(listCronJobs)
  async list(request: RequestOf<typeof listCronJobs>): Promise<ReplyOf<typeof listCronJobs>> {
    await this.owners.requireOwner(request, request.web_service_id);
    return (await this.jobs.list(request.web_service_id)).map(cronJobReply);
  }

  /** A changed schedule counts from now on; times that have passed meanwhile are not made up for. */
  @Handles(changeCronJob)
  async change(request: RequestOf<typeof changeCronJob>): Promise<ReplyOf<typeof changeCronJob>> {
    const { web_service_id: webServiceId, cron_job_id: id } = request;
    const before = await this.#require(request, webServiceId, id);
    requireStorable('command', request.command);
    const { name = before.name, command = before.command, overlap = before.overlap } = request;
    const { schedule = before.schedule, enabled = before.nextAt !== null } = request;
    const now = new Date();
    const next = Schedule.parse(schedule, now).after(now);
    const isSame = schedule === before.schedule && before.nextAt !== null;
    await this.jobs.change(webServiceId, id, {
      ...{ name, schedule, command, overlap },
      timeLimitSeconds: request.time_limit_seconds ?? before.timeLimitSeconds,
      nextAt: enabled ? (isSame ? before.nextAt : next) : null,
    });
    return cronJobReply(await this.#require(request, webServiceId, id));
  }

  @Handles(removeCronJob)
  async remove(request: RequestOf<typeof removeCronJob>): Promise<ReplyOf<typeof removeCronJob>> {
    const { web_service_id: webServiceId, cron_job_id: id } = request;
    await this.owners.requireOwner(request, webServiceId);
    if (!(await this.jobs.remove(webServiceId, id))) throw cronJobNotFound();
    return { id, deleted: true };
  }

  @Handles(listCronJobRuns)
  async runs(request: RequestOf<typeof listCronJobRuns>): Promise<ReplyOf<typeof listCronJobRuns>> {
    const { web_service_id, cron_job_id, limit, offset } = request;
    await this.#require(request, web_service_id, cron_job_id);
    const { items, total } = await this.jobs.runsOf(cron_job_id, { limit, offset });
    return { items: items.map(runReply), total, limit, offset };
  }

  async #require(caller: Reach, webServiceId: string, id: string): Promise<CronJob> {
    await this.owners.requireOwner(caller, webServiceId);
    const found = await this.jobs.find(webServiceId, id);
    if (!found) throw cronJobNotFound();
    return found;
  }
}
