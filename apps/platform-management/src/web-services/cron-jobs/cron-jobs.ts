import { Injectable } from '@nestjs/common';
import type { CronJob as CronJobReply, RunStatus } from '@postern/contracts';
import { CRON_JOBS_PER_WEB_SERVICE, Refusal } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import pLimit from 'p-limit';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import type { RunRelease, StoredRun } from '../runs/runs.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import {
  ADVANCE_NEXT_TIME,
  CANCEL_RUNS_OF_JOB,
  CHANGE_CRON_JOB,
  COUNT_CRON_JOBS,
  COUNT_RUNS_OF_JOB,
  COUNT_UNFINISHED,
  DELETE_CRON_JOB,
  DELETE_OLD_RUNS_OF_JOB,
  DELETE_RUNS_OF_JOB,
  DUE_CRON_JOBS,
  FIND_CRON_JOB,
  INSERT_CRON_JOB,
  INSERT_RUN_OF_JOB,
  INSERT_SKIPPED_RUN,
  LIST_CRON_JOBS,
  LIST_RUNS_OF_JOB,
  REPLACE_UNFINISHED,
} from './cron-jobs.sql.js';
import { cronJobNotFound } from './refusals.js';

export interface CronJobSettings {
  readonly name: string;
  readonly schedule: string;
  /** IANA name. */
  readonly timeZone: string;
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

const UNIQUE_VIOLATION = '23505';
/** Number of finished runs that are kept per job. */
const KEPT = 100;

/** Stores cron jobs as rows without events, because nothing but their runs depends on them. */
@Injectable()
export class CronJobs {
  readonly #oneAtATime = pLimit(1);

  constructor(private readonly database: Database) {}

  /** Refuses with `web_service_not_found`, `cron_job_exists` and `too_many_cron_jobs`. */
  async create(webServiceId: string, settings: CronJobSettings): Promise<CronJob> {
    const id = uuidv7();
    await refusingDuplicates(settings.name, () =>
      inTransaction(this.database.pool, async client => {
        await lockStreams(client, [webServiceStream(webServiceId)]);
        if (await isDeleted(client, webServiceStream(webServiceId))) throw webServiceNotFound();
        const { rows } = await client.query<{ count: number }>(COUNT_CRON_JOBS, [webServiceId]);
        if ((rows[0]?.count ?? 0) >= CRON_JOBS_PER_WEB_SERVICE)
          throw new Refusal('too_many_cron_jobs', `a web service has at most ${CRON_JOBS_PER_WEB_SERVICE} cron jobs`);
        await client.query(INSERT_CRON_JOB, [id, webServiceId, ...valuesOf(settings)]);
      }),
    );
    return (await this.find(webServiceId, id))!;
  }

  /** Ordered by name. */
  async list(webServiceId: string): Promise<readonly CronJob[]> {
    return (await this.database.pool.query<CronJob>(LIST_CRON_JOBS, [webServiceId])).rows;
  }

  async find(webServiceId: string, id: string): Promise<CronJob | undefined> {
    return (await this.database.pool.query<CronJob>(FIND_CRON_JOB, [webServiceId, id])).rows[0];
  }

  /** Refuses with `cron_job_exists`. */
  async change(webServiceId: string, id: string, settings: CronJobSettings): Promise<void> {
    await refusingDuplicates(settings.name, () =>
      this.database.pool.query(CHANGE_CRON_JOB, [webServiceId, id, ...valuesOf(settings)]),
    );
  }

  /** Cancels the run in progress and deletes the others. @returns false if there is no such job. */
  remove(webServiceId: string, id: string): Promise<boolean> {
    return inTransaction(this.database.pool, async client => {
      const { rowCount } = await client.query(DELETE_CRON_JOB, [webServiceId, id]);
      await client.query(CANCEL_RUNS_OF_JOB, [id]);
      await client.query(DELETE_RUNS_OF_JOB, [id]);
      return rowCount === 1;
    });
  }

  /** Newest first. */
  async runsOf(id: string, { limit, offset }: { readonly limit: number; readonly offset: number }) {
    const { rows: items } = await this.database.pool.query<StoredRun>(LIST_RUNS_OF_JOB, [id, limit, offset]);
    const { rows } = await this.database.pool.query<{ total: number }>(COUNT_RUNS_OF_JOB, [id]);
    return { items, total: rows[0]!.total };
  }

  /** Enabled jobs whose next time is due, oldest first. */
  async due(now: Date): Promise<readonly DueCronJob[]> {
    return (await this.database.pool.query<DueCronJob>(DUE_CRON_JOBS, [now])).rows;
  }

  /** Serialized in this process, because the quota check needs a second connection during the transaction. */
  take(job: DueCronJob, turn: CronTurn): Promise<void> {
    return this.#oneAtATime(() => this.#take(job, turn));
  }

  async #take(job: DueCronJob, { next, missed, run }: CronTurn): Promise<void> {
    await inTransaction(this.database.pool, async client => {
      const stream = webServiceStream(job.webServiceId);
      await lockStreams(client, run ? [run.limit.lock, stream] : [stream]);
      if (await isDeleted(client, stream)) return;
      const { rowCount } = await client.query(ADVANCE_NEXT_TIME, [job.id, job.nextAt, next]);
      if (rowCount === 0) return;
      if (missed) await skip(client, job, missed);
      if (run) {
        const reason = await this.#skipReason(client, job, run.limit);
        if (reason) await skip(client, job, { ...run, reason });
        else await begin(client, job, run);
      }
      await client.query(DELETE_OLD_RUNS_OF_JOB, [job.id, KEPT]);
    });
  }

  /** The reason why the run is skipped; undefined if it can start. */
  async #skipReason(client: pg.PoolClient, job: CronJob, limit: NonNullable<CronTurn['run']>['limit']) {
    const { rows } = await client.query<{ count: number }>(COUNT_UNFINISHED, [job.id]);
    if (job.overlap === 'skip' && rows[0]!.count > 0) return 'skipped: the previous run has not finished';
    return limit.check().then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return `skipped: ${error.message}`;
      },
    );
  }

  /** Refuses with `cron_job_not_found`. */
  async require(webServiceId: string, id: string): Promise<CronJob> {
    const found = await this.find(webServiceId, id);
    if (!found) throw cronJobNotFound();
    return found;
  }
}

const valuesOf = ({ name, schedule, timeZone, command, overlap, timeLimitSeconds, nextAt }: CronJobSettings) => [
  ...[name, schedule, timeZone, command, overlap],
  ...[timeLimitSeconds, nextAt],
];

interface Skipped {
  readonly scheduledFor: Date;
  readonly reason: string;
  readonly release: RunRelease;
}

const valuesOfRun = (job: CronJob, { scheduledFor, release }: Omit<Skipped, 'reason'>) => [
  ...[uuidv7(), job.webServiceId, job.command],
  ...[JSON.stringify(release), job.id, scheduledFor],
];

async function skip(client: pg.PoolClient, job: CronJob, skipped: Skipped): Promise<void> {
  await client.query(INSERT_SKIPPED_RUN, [...valuesOfRun(job, skipped), skipped.reason]);
}

async function begin(client: pg.PoolClient, job: CronJob, run: NonNullable<CronTurn['run']>): Promise<void> {
  if (job.overlap === 'replace') await client.query(REPLACE_UNFINISHED, [job.id]);
  await client.query(INSERT_RUN_OF_JOB, [...valuesOfRun(job, run), job.timeLimitSeconds]);
}

async function refusingDuplicates<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    throw new Refusal('cron_job_exists', `name: a cron job named ${name} already exists`);
  }
}
