import type { CronJob as CronJobReply, RunStatus } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';
import type { RunRelease, StoredRun } from '../runs/ports.js';
import { cronJobNotFound } from './refusals.js';

export interface CronJobSettings {
  readonly name: string;
  readonly schedule: string;
  readonly command: string;
  readonly overlap: CronJobReply['overlap'];
  readonly timeLimitSeconds: number;
  /** Null while the job is disabled. */
  readonly nextAt: Date | null;
}

export interface CronJob extends CronJobSettings {
  readonly id: string;
  readonly webServiceId: string;
  readonly createdAt: Date;
  readonly lastRunId: string | null;
  readonly lastRunStatus: RunStatus | null;
  readonly lastRunFor: Date | null;
}

export interface DueCronJob extends CronJob {
  readonly nextAt: Date;
}

/** The run and the missed times to record for the due times of a job. Nothing is recorded without `run` and `missed`. */
export interface CronTurn {
  readonly next: Date | null;
  readonly missed?: { readonly scheduledFor: Date; readonly reason: string; readonly release: RunRelease } | undefined;
  readonly run?:
    | { readonly scheduledFor: Date; readonly release: RunRelease; readonly limit: CreationLimit }
    | undefined;
}

/** Cron jobs of web services, and their runs. */
export abstract class CronJobs {
  /** Refuses with `web_service_not_found`, `cron_job_exists` and `too_many_cron_jobs`. */
  abstract create(webServiceId: string, settings: CronJobSettings): Promise<CronJob>;
  /** Ordered by name. */
  abstract list(webServiceId: string): Promise<readonly CronJob[]>;
  abstract find(webServiceId: string, id: string): Promise<CronJob | undefined>;

  /** Refuses with `cron_job_not_found`. */
  async require(webServiceId: string, id: string): Promise<CronJob> {
    const found = await this.find(webServiceId, id);
    if (!found) throw cronJobNotFound();
    return found;
  }

  /** Refuses with `cron_job_exists`. */
  abstract change(webServiceId: string, id: string, settings: CronJobSettings): Promise<void>;
  /** Cancels the run in progress and deletes the others. @returns false if there is no such job. */
  abstract remove(webServiceId: string, id: string): Promise<boolean>;
  /** Newest first. */
  abstract runsOf(
    id: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly StoredRun[]; readonly total: number }>;

  /** Enabled jobs whose next time is due, oldest first. */
  abstract due(now: Date): Promise<readonly DueCronJob[]>;
  /**
   * Creates the runs of a turn and sets the next time of the job, in one transaction. Has no effect if another replica has
   * done so, or if the job was changed or deleted.
   */
  abstract take(job: DueCronJob, turn: CronTurn): Promise<void>;
}
