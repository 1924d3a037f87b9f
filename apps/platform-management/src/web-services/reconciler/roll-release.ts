import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { inSpan, type TraceSpan } from '@postern/messaging';
import { type LogWriter, RollFailed, Runtime, type ServicePlan } from '@postern/runtime';
import { maskable } from '../environment/maskable-secrets.js';
import { PlatformVariables } from '../environment/platform-variables.js';
import { type Configuration, ReleaseConfigurations } from '../environment/ports.js';
import { releaseToBegin } from '../services/aggregate/decide-releases.js';
import { deploymentOf, type Release, rollbackOrigin, type WebService } from '../services/aggregate/state.js';
import { currentInstances, currentProcesses, planSettings } from '../services/ports.js';
import { duration, releaseMsOf } from './next-steps.js';
import { ReconcilerSettings } from './ports.js';
import { OUTCOME, Reports } from './reports.js';
import { endReasonOf, logLine, unsuccessfulEnd } from './work-errors.js';

interface Roll {
  readonly state: WebService;
  readonly release: Release;
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

/** Rolls a release out in the runtime and reports the outcome. */
@Injectable()
export class RollRelease {
  /** Instances outlive the roll that starts them, so they must not inherit its request context. */
  readonly #outsideRequest = AsyncLocalStorage.snapshot();

  constructor(
    private readonly reports: Reports,
    private readonly configurations: ReleaseConfigurations,
    private readonly platformVariables: PlatformVariables,
    private readonly runtime: Runtime,
    private readonly settings: ReconcilerSettings,
  ) {}

  /** Stores the configuration of a release that starts: the current one, or for a rollback the earlier one. */
  async begin(state: WebService, releaseId: string): Promise<void> {
    const release = releaseToBegin(state, releaseId);
    if (release) {
      const { deployment_id: deploymentId, commit } = release;
      const configuration = await this.#configurationFor(state, releaseId);
      const whole = await this.platformVariables.addTo(configuration, state, { deploymentId, commit });
      await this.configurations.seal(state.id!, releaseId, whole);
    }
    await this.reports.record(state.id!, { kind: 'begin-release', releaseId });
  }

  #configurationFor(state: WebService, releaseId: string): Promise<Configuration> {
    const { id, projectId, settings } = state;
    const origin = rollbackOrigin(state, releaseId);
    return origin
      ? this.configurations.repeated(id!, origin.id)
      : this.configurations.current(id!, projectId!, settings!.environment);
  }

  /** @throws errors that are neither a release failure nor an abort; the caller retries. */
  run(roll: Roll): Promise<void> {
    const { state, release } = roll;
    return this.reports.inRequestContext(state.id!, release.id, SPANS[release.kind], span => this.#roll(roll, span));
  }

  async #roll(roll: Roll, span: TraceSpan | undefined): Promise<void> {
    const { state, release, signal } = roll;
    const configuration = await this.configurations.open(release.configurationId);
    const output = this.runtime.logWriter(state.id!, 'platform', maskable(configuration.secrets));
    try {
      logLine(output, `${titleOf(release)} begins`);
      const plan = { ...planOf(roll, configuration), releaseCommand: releaseCommandOf(roll) };
      await inSpan('roll instances', {}, () => this.#outsideRequest(() => this.runtime.roll(plan, signal)));
      if (endReasonOf(signal) === 'leadership') return;
      await inSpan('conclude release', {}, () =>
        this.reports.record(state.id!, { kind: 'finish-release', releaseId: release.id }),
      );
      span?.annotate({ [OUTCOME]: 'live' });
      logLine(output, `${titleOf(release)} is live`);
    } catch (error) {
      await this.#reportFailure(roll, error, configuration, output, span);
    } finally {
      await output.close();
    }
  }

  async #reportFailure(
    { state, release, signal, untilMs }: Roll,
    error: unknown,
    configuration: Configuration,
    output: LogWriter,
    span: TraceSpan | undefined,
  ): Promise<void> {
    const deadline = duration(releaseMsOf(release.settings, this.settings.deadlines));
    const lateReason = `no instance responded within ${deadline}`;
    // The runtime gets only the time that was left when the order was sent.
    const isLate = error instanceof RollFailed && Date.now() >= untilMs;
    const failure = isLate ? new RollFailed(`the release was not ready within ${deadline}: ${error.message}`) : error;
    const work = { signal, configuration, runtime: this.runtime, failures: [RollFailed], lateReason };
    const end = await unsuccessfulEnd(failure, work);
    if (!end) return;
    span?.annotate({ [OUTCOME]: end.kind });
    if (end.kind === 'cancelled') {
      await this.reports.record(state.id!, { kind: 'abandon-release', releaseId: release.id });
      logLine(output, `${titleOf(release)} was cancelled`);
      return;
    }
    await this.reports.record(state.id!, { kind: 'fail-release', releaseId: release.id, reason: end.reason });
    logLine(output, `${titleOf(release)} failed: ${end.reason}`);
  }
}

function planOf({ state, release, untilMs }: Roll, { environment, files, secrets }: Configuration): ServicePlan {
  const plan = planSettings(release.settings);
  return {
    webServiceId: state.id!,
    projectId: state.projectId,
    rollId: release.id,
    artefact: { reference: release.artefact, commit: release.commit },
    ...plan,
    processes: currentProcesses(plan.processes, state.settings!.processes),
    ...currentInstances(plan, state.settings!),
    environment,
    files,
    secrets: maskable(secrets),
    deadlineMs: Math.max(1, untilMs - Date.now()),
  };
}

/** Only for a new build: a start, a restart and a rollback run an artefact whose release command has already run. */
const releaseCommandOf = ({ state, release }: Roll): string | undefined => {
  if (release.kind !== 'deployment' || deploymentOf(state, release.id)?.rollbackOf !== undefined) return undefined;
  return release.settings.release_command ?? undefined;
};

const SPANS = {
  deployment: 'release deployment',
  start: 'start web service',
  restart: 'restart web service',
} as const;

const titleOf = ({ kind, deploymentId }: Release): string =>
  ({ deployment: `The release of deployment ${deploymentId}`, start: 'The start', restart: 'The restart' })[kind];
