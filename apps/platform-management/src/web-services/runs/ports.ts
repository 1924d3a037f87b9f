import { INSTANCE_MEMORY_MIB, type Run, type RunStatus } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';
import type { RunEnd, RunOrder } from '@postern/runtime';
import type { NeededPlaces } from '../../accounts/quotas/ports.js';
import { liveDeployment, releaseSettings, type WebService } from '../services/aggregate/state.js';
import { planSettings } from '../services/ports.js';

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

/** One-off commands of web services. */
export abstract class Runs {
  /** Creates a run and deletes old ones. Refuses above the limit, and with `web_service_not_found` for a deleted web service. */
  abstract create(limit: CreationLimit, run: NewRun): Promise<StoredRun>;
  /** Newest first. */
  abstract list(
    webServiceId: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly StoredRun[]; readonly total: number }>;
  abstract find(webServiceId: string, id: string): Promise<StoredRun | undefined>;
  /** Returns undefined if the run does not exist or has ended. */
  abstract cancel(webServiceId: string, id: string): Promise<StoredRun | undefined>;

  /** Returns the unfinished runs of all web services, oldest first. */
  abstract unfinished(): Promise<readonly UnfinishedRun[]>;
  /** Checks again whether the run may start. @returns false if it was cancelled, flagged or deleted meanwhile. */
  abstract begin(id: string): Promise<boolean>;
  /** Has no effect on a run that has ended. */
  abstract finish(id: string, end: RunEnd & { readonly status: RunStatus }): Promise<void>;

  /** Calls the listener after this process creates or cancels a run; polling finds those of other replicas. */
  abstract onChange(listener: () => void): () => void;
}

/** Returns the instance name in the log lines of a run. */
export const instanceOf = (runId: string): string => `run-${runId.slice(-12)}`;
