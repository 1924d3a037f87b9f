import { Injectable } from '@nestjs/common';
import { inSpan, type TraceSpan } from '@postern/messaging';
import { type Artefact, BuildFailed, type LogWriter, Runtime, SourceUnavailable } from '@postern/runtime';
import { type Configuration, ReleaseConfigurations } from '../environment/ports.js';
import { deploymentOf, type WebService } from '../web-services/aggregate/state.js';
import { duration } from './next-steps.js';
import { ReconcilerSettings } from './ports.js';
import { OUTCOME, Reports } from './reports.js';
import { endReasonOf, logLine, maskable, unsuccessfulEnd } from './work-errors.js';

interface Build {
  readonly state: WebService;
  readonly deploymentId: string;
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

/** Builds a deployment in the runtime and reports the outcome. */
@Injectable()
export class BuildDeployment {
  constructor(
    private readonly reports: Reports,
    private readonly configurations: ReleaseConfigurations,
    private readonly runtime: Runtime,
    private readonly settings: ReconcilerSettings,
  ) {}

  /** @throws errors that are neither a failure of the build nor its end; the caller retries. */
  run(build: Build): Promise<void> {
    const { state, deploymentId } = build;
    return this.reports.inRequestContext(state.id!, deploymentId, 'build deployment', span => this.#build(build, span));
  }

  async #build(build: Build, span: TraceSpan | undefined): Promise<void> {
    const { state, deploymentId, signal } = build;
    const configuration = await this.configurations.current(state.id!, state.projectId!, state.settings!.environment);
    const output = this.runtime.logWriter(state.id!, 'build', maskable(configuration.secrets));
    try {
      const { reference: artefact, commit } = await this.#artefact(build, configuration, output);
      if (endReasonOf(signal) === 'leadership') return;
      await this.reports.record(state.id!, { kind: 'finish-build', deploymentId, artefact, commit });
      span?.annotate({ [OUTCOME]: 'built' });
      logLine(output, `Deployment ${deploymentId} is built`);
    } catch (error) {
      await this.#reportFailure(build, error, configuration, output, span);
    } finally {
      await output.close();
    }
  }

  async #artefact(
    { state, deploymentId, untilMs, signal }: Build,
    { environment, secrets }: Configuration,
    output: LogWriter,
  ): Promise<Artefact> {
    const { git_repository_url: repositoryUrl, build_command, start_command } = state.settings!;
    const { branch, commit: known } = deploymentOf(state, deploymentId)!;
    let commit = known;
    if (commit === undefined) {
      const onBranch = branch === null ? '' : `, branch ${branch}`;
      logLine(output, `Deployment ${deploymentId} begins: ${repositoryUrl}${onBranch}`);
      const wanted = { repositoryUrl, branch: branch ?? undefined };
      const source = await inSpan('resolve source', { kind: 'client' }, () =>
        this.runtime.resolveSource(wanted, signal),
      );
      commit = source.commit;
      await this.reports.record(state.id!, { kind: 'resolve-source', deploymentId, ...source });
      logLine(output, `Building ${source.branch} at ${commit}`);
    }
    const order = {
      deploymentId,
      webServiceId: state.id!,
      repositoryUrl,
      commit,
      buildCommand: build_command ?? undefined,
      startCommand: start_command ?? undefined,
      environment,
      secrets: maskable(secrets),
      deadlineMs: Math.max(1, untilMs - Date.now()),
    };
    return inSpan('build artefact', {}, () => this.runtime.build(order, output, signal));
  }

  async #reportFailure(
    { state, deploymentId, signal }: Build,
    error: unknown,
    configuration: Configuration,
    output: LogWriter,
    span: TraceSpan | undefined,
  ): Promise<void> {
    const failures = [BuildFailed, SourceUnavailable];
    const lateReason = `the build was not done within ${duration(this.settings.deadlines.buildMs)}`;
    const end = await unsuccessfulEnd(error, { signal, configuration, runtime: this.runtime, failures, lateReason });
    if (!end) return;
    span?.annotate({ [OUTCOME]: end.kind });
    if (end.kind === 'cancelled') {
      await this.reports.record(state.id!, { kind: 'end-cancelled', deploymentId });
      logLine(output, `Deployment ${deploymentId} was cancelled`);
      return;
    }
    await this.reports.record(state.id!, { kind: 'fail-deployment', deploymentId, reason: end.reason });
    logLine(output, `Deployment ${deploymentId} failed: ${end.reason}`);
  }
}
