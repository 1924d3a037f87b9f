import { Injectable } from '@nestjs/common';
import { inSpan, type TraceSpan } from '@postern/messaging';
import {
  BuildFailed,
  type BuildOrder,
  type BuiltArtefact,
  imageAddress,
  type LogWriter,
  type ResolvedSource,
  Runtime,
  type Source,
  type SourceCredentials,
  SourceUnavailable,
} from '@postern/runtime';
import { ProjectOwners } from '../../projects/ports.js';
import { SharedNetwork } from '../../shared-network/shared-network.js';
import { maskable } from '../environment/maskable-secrets.js';
import { PlatformVariables } from '../environment/platform-variables.js';
import { type Configuration, ReleaseConfigurations } from '../environment/ports.js';
import { RepositoryCredentials } from '../repository-credentials/repository-credentials.js';
import type { Settings } from '../services/aggregate/events.js';
import { deploymentOf, type WebService } from '../services/aggregate/state.js';
import { duration } from './next-steps.js';
import { ReconcilerSettings } from './ports.js';
import { OUTCOME, Reports } from './reports.js';
import { endReasonOf, logLine, unsuccessfulEnd } from './work-errors.js';

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
    private readonly platformVariables: PlatformVariables,
    private readonly credentials: RepositoryCredentials,
    private readonly runtime: Runtime,
    private readonly settings: ReconcilerSettings,
    private readonly projects: ProjectOwners,
    private readonly sharedNetwork: SharedNetwork,
  ) {}

  /** @throws errors that are neither a build failure nor an abort; the caller retries. */
  run(build: Build): Promise<void> {
    const { state, deploymentId } = build;
    return this.reports.inRequestContext(state.id!, deploymentId, 'build deployment', span => this.#build(build, span));
  }

  async #build(build: Build, span: TraceSpan | undefined): Promise<void> {
    const { state, deploymentId, signal } = build;
    const { environment } = state.settings!;
    const repositoryUrl = sourceOf(state, deploymentId);
    const current = await this.configurations.current(state.id!, state.projectId!, environment);
    const owner = credentialsOwner(state);
    const { source: credentials, secrets, withheld } = await this.credentials.forDeployment(owner, repositoryUrl);
    const configuration = { ...current, secrets: [...current.secrets, ...secrets] };
    const output = this.runtime.logWriter(state.id!, 'build', maskable(configuration.secrets));
    try {
      if (withheld !== undefined) logLine(output, withheld);
      const project = await this.projects.ownerOf(state.projectId!);
      const refusal = project && (await this.sharedNetwork.refusalFor(project.workspaceId));
      if (refusal !== undefined) throw new BuildFailed(refusal);
      if (repositoryUrl === '') throw new BuildFailed(REPOSITORY_IS_GONE);
      const built = await this.#artefact(build, configuration, { repositoryUrl, credentials }, output);
      const { reference: artefact, commit, description, port } = built;
      if (endReasonOf(signal) === 'leadership') return;
      await this.reports.record(state.id!, { kind: 'finish-build', deploymentId, artefact, commit, description, port });
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
    configuration: Configuration,
    { repositoryUrl, credentials }: { readonly repositoryUrl: string; readonly credentials: SourceCredentials },
    output: LogWriter,
  ): Promise<BuiltArtefact> {
    const { build_command, start_command, root_directory } = state.settings!;
    const { branch, commit: known, clearCache, upload, image } = deploymentOf(state, deploymentId)!;
    // The digest of an upload identifies its source.
    let commit = known ?? upload?.digest;
    if (upload && known === undefined) logLine(output, `Deployment ${deploymentId} begins: an uploaded source`);
    let builtBranch = branch;
    let shown = credentials;
    if (commit === undefined) {
      const onBranch = branch === null ? '' : `, branch ${branch}`;
      logLine(output, `Deployment ${deploymentId} begins: ${image ?? repositoryUrl}${onBranch}`);
      const wanted = { repositoryUrl, branch: branch ?? undefined, credentials };
      const {
        hostKeys,
        commit: found,
        branch: foundBranch = null,
      } = await this.#resolve(credentialsOwner(state), wanted, output, signal);
      shown = withHostKeys(credentials, hostKeys);
      commit = found;
      builtBranch = foundBranch;
      await this.reports.record(state.id!, { kind: 'resolve-source', deploymentId, branch: builtBranch, commit });
      if (image === undefined) logLine(output, `Building ${builtBranch} at ${commit}`);
    }
    const version = { deploymentId, commit, branch: builtBranch };
    const { environment, secrets } = await this.platformVariables.addTo(configuration, state, version);
    const order = {
      deploymentId,
      webServiceId: state.id!,
      repositoryUrl,
      commit,
      buildCommand: build_command ?? undefined,
      startCommand: start_command ?? undefined,
      rootDirectory: root_directory ?? undefined,
      dockerfile: dockerfileOf(state.settings!),
      clearCache,
      upload: upload && { id: upload.id, digest: upload.digest, sizeBytes: upload.size_bytes },
      environment,
      secrets: maskable(secrets),
      credentials: shown,
      deadlineMs: Math.max(1, untilMs - Date.now()),
    };
    return inSpan('build artefact', {}, () => this.runtime.build(order, output, signal));
  }

  /** Stores the host key of an SSH server at the first connection; later connections accept no other key. */
  async #resolve(
    webServiceId: string,
    source: Source,
    output: LogWriter,
    signal: AbortSignal,
  ): Promise<ResolvedSource> {
    const resolved = await inSpan('resolve source', { kind: 'client' }, () =>
      this.runtime.resolveSource(source, signal),
    );
    const { hostKeys } = resolved;
    if (hostKeys === undefined) return resolved;
    for (const { host, fingerprint } of await this.credentials.addHostKeys(webServiceId, hostKeys))
      logLine(output, `The host key of ${host} is stored: ${fingerprint}`);
    return resolved;
  }

  async #reportFailure(
    { state, deploymentId, signal, untilMs }: Build,
    error: unknown,
    configuration: Configuration,
    output: LogWriter,
    span: TraceSpan | undefined,
  ): Promise<void> {
    const failures = [BuildFailed, SourceUnavailable];
    const lateReason = `the build did not finish within ${duration(this.settings.deadlines.buildMs)}`;
    // The runtime gets only the time that was left when the order was sent.
    const isLate = error instanceof BuildFailed && Date.now() >= untilMs;
    const description = error instanceof BuildFailed ? error.description : undefined;
    const failure = isLate ? new BuildFailed(lateReason) : error;
    const end = await unsuccessfulEnd(failure, { signal, configuration, runtime: this.runtime, failures, lateReason });
    if (!end) return;
    span?.annotate({ [OUTCOME]: end.kind });
    if (end.kind === 'cancelled') {
      await this.reports.record(state.id!, { kind: 'end-cancelled', deploymentId });
      logLine(output, `Deployment ${deploymentId} was cancelled`);
      return;
    }
    await this.reports.record(state.id!, { kind: 'fail-deployment', deploymentId, reason: end.reason, description });
    logLine(output, `Deployment ${deploymentId} failed: ${end.reason}`);
  }
}

/** A preview fetches the repository with the credentials of the web service that it is a preview of. */
const credentialsOwner = ({ id, preview }: WebService): string => preview?.web_service_id ?? id!;

const REPOSITORY_IS_GONE =
  'the web service has had an image since this deployment was requested: create another deployment';

/** The address of what is deployed; empty if its repository was replaced. */
const sourceOf = (state: WebService, deploymentId: string): string => {
  const { image } = deploymentOf(state, deploymentId)!;
  return image === undefined ? (state.settings!.git_repository_url ?? '') : imageAddress(image);
};

/** Adds the host keys of the first connection, so that the build accepts no others when it connects again. */
const withHostKeys = (credentials: SourceCredentials, hostKeys: string | undefined): SourceCredentials => {
  const { ssh } = credentials;
  if (!ssh || hostKeys === undefined) return credentials;
  return { ...credentials, ssh: { ...ssh, knownHosts: `${ssh.knownHosts ?? ''}${hostKeys}` } };
};

/** Undefined without options, so that a Dockerfile is built if there is one. */
const dockerfileOf = ({ dockerfile_path, docker_target, build_args = {} }: Settings): BuildOrder['dockerfile'] =>
  dockerfile_path || docker_target || Object.keys(build_args).length > 0
    ? { path: dockerfile_path ?? undefined, target: docker_target ?? undefined, buildArguments: build_args }
    : undefined;
