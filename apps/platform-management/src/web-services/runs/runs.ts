import { Injectable } from '@nestjs/common';
import type { RunStatus } from '@postern/contracts';
import { INSTANCE_MEMORY_MIB, Refusal, type Run, SHELLS_PER_SERVICE } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import type { RunEnd, RunOrder, TerminalOrder } from '@postern/runtime';
import { Database } from '@postern/service-host';
import pLimit from 'p-limit';
import type { NeededPlaces } from '../../accounts/quotas/workspace-usage.js';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { liveDeployment, releaseSettings, type WebService } from '../services/aggregate/state.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import { planSettings } from '../services/ports.js';
import {
  BEGIN_RUN,
  CANCEL_RUN,
  COUNT_RUNS,
  COUNT_SHELLS,
  DELETE_OLD_RUNS,
  FIND_RUN,
  FINISH_RUN,
  INSERT_RUN,
  LIST_RUNS,
  UNFINISHED_RUNS,
} from './runs.sql.js';

/** The release that a command runs in. */
export interface RunRelease {
  readonly artefact: RunOrder['artefact'];
  /** Absent for a stopped web service: the run has its current configuration. */
  readonly configurationId?: string;
  readonly size?: RunOrder['size'];
}

export interface NewRun {
  readonly id: string;
  readonly webServiceId: string;
  readonly command: string;
  readonly release: RunRelease;
  /** Set for a shell. */
  readonly terminal?: TerminalOrder | null;
}

export interface StoredRun extends NewRun {
  readonly status: RunStatus;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly isCancelled: boolean;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly cronJobId: string | null;
  readonly scheduledFor: Date | null;
  /** Null means the default time limit of runs. */
  readonly timeLimitSeconds: number | null;
}

export interface UnfinishedRun extends StoredRun {
  /** Whether the web service is blocked or suspended. */
  readonly isFlagged: boolean;
}

/** Returns the serving release; for a stopped web service, the one that a start would release. */
export const releaseToRun = (state: WebService): RunRelease | undefined => {
  const { serving } = state;
  const source = serving ?? liveDeployment(state);
  if (!source?.artefact || !source.commit) return undefined;
  const { instance } = planSettings(serving?.settings ?? releaseSettings(state));
  return {
    artefact: { reference: source.artefact, commit: source.commit },
    ...(serving && { configurationId: serving.configurationId }),
    ...(instance && { size: instance }),
  };
};

/** A command uses the quota of one instance until it ends. */
export const placesOf = ({ size }: RunRelease): NeededPlaces => ({
  instances: 1,
  memory_mib: size?.memoryMib ?? INSTANCE_MEMORY_MIB,
});

/** Maps a run to the contract. */
export const runReply = (run: StoredRun): Run => ({
  id: run.id,
  web_service_id: run.webServiceId,
  command: run.command,
  status: run.status,
  exit_code: run.exitCode,
  reason: run.reason,
  created_at: run.createdAt.toISOString(),
  started_at: run.startedAt?.toISOString() ?? null,
  finished_at: run.finishedAt?.toISOString() ?? null,
  cron_job_id: run.cronJobId,
  scheduled_for: run.scheduledFor?.toISOString() ?? null,
});

/** Returns the instance name in the log lines of a run. */
export const instanceOf = (runId: string): string => `run-${runId.slice(-12)}`;

/** Tolerance for clock differences between this process and the machine that writes the log. */
export const CLOCKS_DIFFER_S = 60;

/** The Unix time in seconds from which the lines of a run are searched. */
export const firstLineTime = (begunAt: Date): number => Math.max(0, begunAt.getTime() / 1_000 - CLOCKS_DIFFER_S);

/** Number of ended runs that are kept for each web service. */
const KEPT = 100;

/** Stores runs as plain rows instead of events, because nothing but their own status depends on them. */
@Injectable()
export class Runs {
  readonly #listeners = new Set<() => void>();
  readonly #oneAtATime = pLimit(1);

  constructor(private readonly database: Database) {}

  /** Serialized in this process, because the limit check needs a second connection during the transaction. */
  create(limit: CreationLimit, run: NewRun): Promise<StoredRun> {
    return this.#oneAtATime(() => this.#create(limit, run));
  }

  /** Newest first. */
  async list(webServiceId: string, { limit, offset }: { readonly limit: number; readonly offset: number }) {
    const { rows: items } = await this.database.pool.query<StoredRun>(LIST_RUNS, [webServiceId, limit, offset]);
    const { rows } = await this.database.pool.query<{ total: number }>(COUNT_RUNS, [webServiceId]);
    return { items, total: rows[0]!.total };
  }

  async find(webServiceId: string, id: string): Promise<StoredRun | undefined> {
    return (await this.database.pool.query<StoredRun>(FIND_RUN, [webServiceId, id])).rows[0];
  }

  /** Returns undefined if the run does not exist or has ended. */
  async cancel(webServiceId: string, id: string): Promise<StoredRun | undefined> {
    const { rows } = await this.database.pool.query<StoredRun>(CANCEL_RUN, [webServiceId, id]);
    this.#notify();
    return rows[0];
  }

  /** Returns the unfinished runs of all web services, oldest first. */
  async unfinished(): Promise<readonly UnfinishedRun[]> {
    return (await this.database.pool.query<UnfinishedRun>({ name: 'unfinished-runs', text: UNFINISHED_RUNS })).rows;
  }

  /** Checks again whether the run may start. @returns false if it was cancelled, flagged or deleted meanwhile. */
  async begin(id: string): Promise<boolean> {
    return (await this.database.pool.query(BEGIN_RUN, [id])).rowCount === 1;
  }

  /** Has no effect on a run that has ended. */
  async finish(id: string, end: RunEnd & { readonly status: RunStatus }): Promise<void> {
    await this.database.pool.query(FINISH_RUN, [id, end.status, end.exitCode, end.reason]);
  }

  /** Calls the listener after this process creates or cancels a run; polling finds those of other replicas. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #create(limit: CreationLimit, { id, webServiceId, command, release, terminal }: NewRun): Promise<StoredRun> {
    const stream = webServiceStream(webServiceId);
    const created = await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [limit.lock, stream]);
      if (await isDeleted(client, stream)) throw webServiceNotFound();
      await limit.check();
      if (terminal) await this.#assertShellAllowed(client, webServiceId);
      await client.query(DELETE_OLD_RUNS, [webServiceId, KEPT]);
      const values = [id, webServiceId, command, JSON.stringify(release), terminal && JSON.stringify(terminal)];
      const { rows } = await client.query<StoredRun>(INSERT_RUN, values);
      return rows[0]!;
    });
    this.#notify();
    return created;
  }

  async #assertShellAllowed(client: Pick<Database['pool'], 'query'>, webServiceId: string): Promise<void> {
    const { rows } = await client.query<{ total: number }>(COUNT_SHELLS, [webServiceId]);
    if (rows[0]!.total >= SHELLS_PER_SERVICE) {
      const message = `the web service has ${SHELLS_PER_SERVICE} open shells, which is the maximum; close one first`;
      throw new Refusal('too_many_shells', message);
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
