import { Injectable } from '@nestjs/common';
import { RUN_DEADLINE_MS } from '@postern/contracts';
import { type RunEnd, Runtime } from '@postern/runtime';
import { ChangeNotices, Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { millisecondsLeft } from '../../infrastructure/runtime/milliseconds-left.js';
import { maskable } from '../environment/maskable-secrets.js';
import { PlatformVariables } from '../environment/platform-variables.js';
import { type Configuration, ConfigurationNotFound, ReleaseConfigurations } from '../environment/ports.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { instanceOf, Runs, type UnfinishedRun } from './runs.js';

const POLL_MS = 1_000;
/** Time after the deadline of a run, for an unavailable runtime. */
const GIVE_UP_AFTER_MS = 10 * 60_000;
const NO_ANSWER = 'the runtime did not answer in time';

const FLAGGED = 'the web service is blocked, suspended or deleted';

class RunCancelled extends Error {
  override readonly name = 'RunCancelled';

  constructor(readonly reason: string | null) {
    super('the run was cancelled');
  }
}

/** Returns why the run must end; undefined if it may continue. */
const cancellationOf = ({ isCancelled, isFlagged }: UnfinishedRun): RunCancelled | undefined => {
  if (isCancelled) return new RunCancelled(null);
  return isFlagged ? new RunCancelled(FLAGGED) : undefined;
};

/**
 * Sends queued commands to the runtime and records their outcomes, in the leading replica. The runtime executes each run at most once,
 * so the next leader sends the orders of a killed process again.
 */
@Injectable()
export class ExecuteRuns {
  readonly #underWay = new Map<string, AbortController>();

  constructor(
    private readonly runs: Runs,
    private readonly webServices: WebServiceRepository,
    private readonly configurations: ReleaseConfigurations,
    private readonly platformVariables: PlatformVariables,
    private readonly runtime: Runtime,
    private readonly log: ServiceLog,
    private readonly changes: ChangeNotices,
  ) {}

  /** Runs until leadership is lost. Commands in progress continue; the next leader waits for them. */
  @Every(1_000, 'execute runs', { onOneReplica: true })
  async run({ signal: lost }: Pick<TaskRun, 'signal'>): Promise<void> {
    let wake: () => void = () => undefined;
    const unsubscribe = this.runs.onChange(() => wake());
    lost.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!lost.aborted) {
        const woken = new Promise<void>(resolve => {
          wake = resolve;
        });
        await this.reconcile();
        const timer = setTimeout(() => wake(), POLL_MS);
        if (!lost.aborted) await woken;
        clearTimeout(timer);
      }
    } finally {
      unsubscribe();
    }
  }

  /** Starts queued commands, and ends those that were cancelled or whose web service is flagged, without waiting for them. */
  async reconcile(): Promise<void> {
    for (const run of await this.runs.unfinished()) {
      const known = this.#underWay.get(run.id);
      const cancellation = cancellationOf(run);
      if (known && cancellation) known.abort(cancellation);
      if (known) continue;
      const controller = new AbortController();
      this.#underWay.set(run.id, controller);
      void this.#execute(run, controller.signal)
        .catch(err => this.log.error({ err, run: run.id }, 'A run failed to start; it will be retried'))
        .finally(() => {
          this.#underWay.delete(run.id);
          this.changes.add([`web-services/${run.webServiceId}`]);
        });
    }
  }

  async #execute(run: UnfinishedRun, signal: AbortSignal): Promise<void> {
    const cancellation = cancellationOf(run);
    if (run.startedAt === null && cancellation) return this.#finish(run.id, 'cancelled', cancellation.reason);
    const limitMs = run.timeLimitSeconds === null ? RUN_DEADLINE_MS : run.timeLimitSeconds * 1_000;
    const now = new Date();
    const leftMs = millisecondsLeft(run.createdAt, limitMs, now);
    const giveUpMs = millisecondsLeft(run.createdAt, limitMs + GIVE_UP_AFTER_MS, now);
    if (giveUpMs === 0) return this.#finish(run.id, 'failed', NO_ANSWER);
    const configuration = await this.#configurationOf(run);
    if (!configuration) return this.#finish(run.id, 'failed', 'the release was replaced, and its environment deleted');
    // What `unfinished` returned may be out of date; the next reconciliation ends the run.
    if (!(await this.runs.begin(run.id))) return;
    this.changes.add([`web-services/${run.webServiceId}`]);
    const late = AbortSignal.timeout(giveUpMs);
    try {
      const { exitCode, reason } = await this.runtime.run(
        {
          runId: run.id,
          webServiceId: run.webServiceId,
          instance: instanceOf(run.id),
          artefact: run.release.artefact,
          command: run.command,
          environment: configuration.environment,
          files: configuration.files,
          secrets: maskable(configuration.secrets),
          size: run.release.size,
          deadlineMs: Math.max(1, leftMs),
          ...(run.terminal && { terminal: run.terminal }),
        },
        AbortSignal.any([signal, late]),
      );
      await this.#finish(run.id, exitCode === 0 ? 'succeeded' : 'failed', reason, exitCode);
    } catch (error) {
      if (error instanceof RunCancelled) await this.#finish(run.id, 'cancelled', error.reason);
      else if (late.aborted) await this.#finish(run.id, 'failed', NO_ANSWER);
      else throw error;
    }
  }

  /** Returns undefined for a deleted configuration. */
  async #configurationOf({ webServiceId, release }: UnfinishedRun): Promise<Configuration | undefined> {
    if (release.configurationId === undefined) {
      const state = await this.webServices.stateOf(webServiceId);
      if (state.deleted) return undefined;
      const current = await this.configurations.current(webServiceId, state.projectId!, state.settings!.environment);
      const { commit } = release.artefact;
      const deploymentId = state.deployments.findLast(({ artefact }) => artefact === release.artefact.reference)?.id;
      return deploymentId === undefined
        ? current
        : this.platformVariables.addTo(current, state, { deploymentId, commit });
    }
    try {
      return await this.configurations.open(release.configurationId);
    } catch (error) {
      if (error instanceof ConfigurationNotFound) return undefined;
      throw error;
    }
  }

  #finish(
    id: string,
    status: 'succeeded' | 'failed' | 'cancelled',
    reason: RunEnd['reason'] = null,
    exitCode: RunEnd['exitCode'] = null,
  ): Promise<void> {
    return this.runs.finish(id, { status, reason, exitCode });
  }
}
