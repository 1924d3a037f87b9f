import { Injectable } from '@nestjs/common';
import { Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import { ProjectOwners } from '../../projects/ports.js';
import { placesOf, releaseToRun } from '../runs/runs.js';
import type { WebService } from '../services/aggregate/state.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { CronJobs, type CronTurn, type DueCronJob } from './cron-jobs.js';
import { type DueTimes, Schedule } from './schedule.js';

/** Queues the runs of due cron jobs. Safe in several replicas: each scheduled time has one run. */
@Injectable()
export class RunCronJobs {
  constructor(
    private readonly jobs: CronJobs,
    private readonly webServices: WebServiceRepository,
    private readonly projects: ProjectOwners,
    private readonly usage: WorkspaceUsage,
    private readonly log: ServiceLog,
  ) {}

  @Every(1_000, 'run cron jobs')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    for (const job of await this.jobs.due(now))
      await this.#take(job, now).catch(err =>
        this.log.error({ err, cronJob: job.id }, 'A cron job could not be run; it will be retried'),
      );
  }

  async #take(job: DueCronJob, now: Date): Promise<void> {
    const due = new Schedule(job.schedule, job.timeZone).dueTimes(job.nextAt, now);
    const state = await this.webServices.stateOf(job.webServiceId);
    await this.jobs.take(job, { next: due.next, ...(await this.#runsOf(state, due)) });
  }

  /** Returns no runs for a web service that does not run. */
  async #runsOf(state: WebService, { run, missed }: DueTimes): Promise<Omit<CronTurn, 'next'>> {
    const release = releaseToRun(state);
    const isPaused = !state.serving || state.stopping || state.deleting || state.blocked || state.suspended;
    if (!release || isPaused) return {};
    const owner = await this.projects.ownerOf(state.projectId!);
    if (!owner) return {};
    const limit = this.usage.limitOf(owner.workspaceId, placesOf(release));
    return {
      missed: missed && { scheduledFor: missed.last, reason: reasonOf(missed), release },
      run: run && { scheduledFor: run, release, limit },
    };
  }
}

const reasonOf = ({ count, first }: NonNullable<DueTimes['missed']>): string =>
  count === 1
    ? 'missed: Postern was not running at this time'
    : `missed: Postern was not running at this time and at ${count - 1} earlier ones since ${first.toISOString()}`;
