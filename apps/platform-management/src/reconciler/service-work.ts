import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { currentContext, inSpan, runInContext, type TraceSpan } from '@postern/messaging';
import {
  BuildFailed,
  type LogWriter,
  RollFailed,
  Runtime,
  type ServicePlan,
  SourceUnavailable,
} from '../ports/runtime.js';
import type { DriversCommand } from '../web-services/aggregate/commands.js';
import { releaseToBegin } from '../web-services/aggregate/decide-releases.js';
import { deploymentOf, type Release, type WebService } from '../web-services/aggregate/state.js';
import {
  type Configuration,
  ReleaseConfigurations,
  WebServiceLedger,
  WebServiceSettings,
} from '../web-services/ports.js';
import { duration, type EndReason, type Report } from './next-steps.js';

/** Why something under way is ended; what an aborted signal carries. */
export class Ended extends Error {
  override readonly name = 'Ended';

  constructor(readonly reason: EndReason | 'leadership') {
    super(reason === 'leadership' ? 'another process leads' : `ended: ${reason}`);
  }
}

/** Longest error that a deployment or a status carries. */
const MAX_WORDS = 2_000;
/** Shorter values would mask half of every line. */
const SHORTEST_SECRET = 4;
const MASK = '********';

/**
 * The three things that a driver does with the runtime, each ending in an event, whatever comes of it. Builds and rolls
 * belong to the request that asked for them: their events, lines of the log and spans do, after a change of leader too.
 */
@Injectable()
export class ServiceWork {
  /** What a roll starts outlives it, and belongs to no request. */
  readonly #outOfRequests = AsyncLocalStorage.snapshot();

  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly configurations: ReleaseConfigurations,
    private readonly runtime: Runtime,
    private readonly settings: WebServiceSettings,
  ) {}

  /** @throws what is neither the build's own failure nor its end: the caller tries again. */
  build(state: WebService, deploymentId: string, untilMs: number, signal: AbortSignal): Promise<void> {
    return this.#asAsked(state.id!, deploymentId, 'build deployment', span =>
      this.#build(state, deploymentId, untilMs, signal, span),
    );
  }

  async #build(
    state: WebService,
    deploymentId: string,
    untilMs: number,
    signal: AbortSignal,
    span: TraceSpan | undefined,
  ): Promise<void> {
    const id = state.id!;
    const configuration = await this.#today(state);
    const output = this.#output(id, 'build', configuration);
    try {
      const artefact = await this.#artefact(state, deploymentId, configuration, untilMs, output, signal);
      if (endOf(signal) === 'leadership') return;
      await this.report(id, {
        kind: 'finish-build',
        deploymentId,
        artefact: artefact.reference,
        commit: artefact.commit,
      });
      span?.annotate({ [OUTCOME]: 'built' });
      remark(output, `Deployment ${deploymentId} is built`);
    } catch (error) {
      const reason = endOf(signal);
      if (reason === 'leadership') return;
      if (reason === 'cancelled') {
        await this.report(id, { kind: 'end-cancelled', deploymentId });
        span?.annotate({ [OUTCOME]: 'cancelled' });
        remark(output, `Deployment ${deploymentId} was cancelled`);
        return;
      }
      const late = reason === 'late' && `the build was not done within ${duration(this.settings.deadlines.buildMs)}`;
      if (!late && !(error instanceof BuildFailed) && !(error instanceof SourceUnavailable)) throw error;
      const words = late || wordsOf(error, configuration);
      await this.report(id, { kind: 'fail-deployment', deploymentId, reason: words });
      span?.annotate({ [OUTCOME]: 'failed' });
      remark(output, `Deployment ${deploymentId} failed: ${words}`);
    } finally {
      await output.close();
    }
  }

  async #artefact(
    state: WebService,
    deploymentId: string,
    { environment, secrets }: Configuration,
    untilMs: number,
    output: LogWriter,
    signal: AbortSignal,
  ) {
    const { git_repository_url: repositoryUrl, build_command, start_command } = state.settings!;
    const { branch, commit: known } = deploymentOf(state, deploymentId)!;
    let commit = known;
    if (commit === undefined) {
      remark(
        output,
        `Deployment ${deploymentId} begins: ${repositoryUrl}${branch === null ? '' : `, branch ${branch}`}`,
      );
      const wanted = { repositoryUrl, branch: branch ?? undefined };
      const source = await inSpan('resolve source', { kind: 'client' }, () =>
        this.runtime.resolveSource(wanted, signal),
      );
      commit = source.commit;
      await this.report(state.id!, { kind: 'resolve-source', deploymentId, ...source });
      remark(output, `Building ${source.branch} at ${commit}`);
    }
    const order = {
      deploymentId,
      webServiceId: state.id!,
      repositoryUrl,
      commit,
      buildCommand: build_command ?? undefined,
      startCommand: start_command ?? undefined,
      environment,
      secrets: worthMasking(secrets),
      deadlineMs: Math.max(1, untilMs - Date.now()),
    };
    return inSpan('build artefact', {}, () => this.runtime.build(order, output, signal));
  }

  /** Seals today's configuration for a release that is about to begin; a rollback has one already. */
  async beginRelease(state: WebService, releaseId: string): Promise<void> {
    const release = releaseToBegin(state, releaseId);
    if (release?.configuration_id === releaseId) {
      await this.configurations.seal(releaseId, await this.#today(state));
    }
    await this.report(state.id!, { kind: 'begin-release', releaseId });
  }

  /** @throws what is neither the release's own failure nor its end: the caller tries again. */
  roll(state: WebService, release: Release, untilMs: number, signal: AbortSignal): Promise<void> {
    return this.#asAsked(state.id!, release.id, SPANS[release.kind], span =>
      this.#roll(state, release, untilMs, signal, span),
    );
  }

  async #roll(
    state: WebService,
    release: Release,
    untilMs: number,
    signal: AbortSignal,
    span: TraceSpan | undefined,
  ): Promise<void> {
    const id = state.id!;
    const configuration = await this.configurations.open(release.configurationId);
    const output = this.#output(id, 'platform', configuration);
    const what = WHAT[release.kind](release);
    try {
      remark(output, `${what} begins`);
      const plan: ServicePlan = {
        webServiceId: id,
        name: state.settings!.name,
        rollId: release.id,
        artefact: { reference: release.artefact, commit: release.commit },
        startCommand: state.settings!.start_command ?? undefined,
        port: state.settings!.port,
        healthCheckPath: state.settings!.health_check_path ?? undefined,
        minInstances: state.settings!.min_instances,
        maxInstances: state.settings!.max_instances,
        environment: configuration.environment,
        secrets: worthMasking(configuration.secrets),
        deadlineMs: Math.max(1, untilMs - Date.now()),
      };
      await inSpan('roll instances', {}, () => this.#outOfRequests(() => this.runtime.roll(plan, signal)));
      if (endOf(signal) === 'leadership') return;
      await inSpan('conclude release', {}, () => this.report(id, { kind: 'finish-release', releaseId: release.id }));
      span?.annotate({ [OUTCOME]: 'live' });
      remark(output, `${what} is live`);
    } catch (error) {
      const reason = endOf(signal);
      if (reason === 'leadership') return;
      if (reason === 'cancelled') {
        await this.report(id, { kind: 'abandon-release', releaseId: release.id });
        span?.annotate({ [OUTCOME]: 'cancelled' });
        remark(output, `${what} was given up`);
        return;
      }
      const late = reason === 'late' && `no instance answered within ${duration(this.settings.deadlines.releaseMs)}`;
      if (!late && !(error instanceof RollFailed)) throw error;
      const words = late || wordsOf(error, configuration);
      await this.report(id, { kind: 'fail-release', releaseId: release.id, reason: words });
      span?.annotate({ [OUTCOME]: 'failed' });
      remark(output, `${what} failed: ${words}`);
    } finally {
      await output.close();
    }
  }

  async stop(webServiceId: string, stillLeads: () => boolean): Promise<void> {
    await this.runtime.stop(webServiceId);
    if (!stillLeads()) return;
    await this.report(webServiceId, { kind: 'finish-stop' });
    const output = this.#output(webServiceId, 'platform', { environment: {}, secrets: [] });
    remark(output, 'The web service is stopped');
    await output.close();
  }

  async report(webServiceId: string, report: Report): Promise<WebService> {
    const record = () => this.ledger.record(webServiceId, at => ({ ...report, at }) as DriversCommand);
    const id = 'deploymentId' in report ? report.deploymentId : 'releaseId' in report ? report.releaseId : undefined;
    const origin = id === undefined || currentContext() ? undefined : await this.ledger.originOf(webServiceId, id);
    return origin ? runInContext(origin, record) : record();
  }

  async #asAsked(
    webServiceId: string,
    id: string,
    name: string,
    work: (span: TraceSpan | undefined) => Promise<void>,
  ): Promise<void> {
    const origin = await this.ledger.originOf(webServiceId, id);
    const attributes = { 'postern.web_service.id': webServiceId, 'postern.release.id': id };
    const asSpan = () => inSpan(name, { attributes }, work);
    await (origin ? runInContext(origin, asSpan) : asSpan());
  }

  #today(state: WebService): Promise<Configuration> {
    return this.configurations.current(state.id!, state.projectId!, state.settings!.environment);
  }

  #output(webServiceId: string, instance: string, { secrets }: Configuration): LogWriter {
    return this.runtime.logWriter(webServiceId, instance, worthMasking(secrets));
  }
}

const OUTCOME = 'postern.deployment.outcome';

const SPANS = {
  deployment: 'release deployment',
  start: 'start web service',
  restart: 'restart web service',
} as const;

const WHAT = {
  deployment: ({ deploymentId }: Release) => `The release of deployment ${deploymentId}`,
  start: () => 'The start',
  restart: () => 'The restart',
} as const;

const remark = (output: LogWriter, words: string): void => output.write('platform', `${words}\n`);

const endOf = (signal: AbortSignal): Ended['reason'] | undefined =>
  signal.aborted && signal.reason instanceof Ended ? signal.reason.reason : undefined;

const worthMasking = (secrets: readonly string[]): string[] =>
  secrets.filter(({ length }) => length >= SHORTEST_SECRET);

/** What an error says, for everybody to read: without secrets, and not without end. */
function wordsOf(error: unknown, { secrets }: Configuration): string {
  const words = error instanceof Error ? error.message : String(error);
  const masked = worthMasking(secrets)
    .sort((a, b) => b.length - a.length)
    .reduce((text, secret) => text.replaceAll(secret, MASK), words);
  return masked.toWellFormed().replaceAll('\0', '').slice(0, MAX_WORDS);
}
