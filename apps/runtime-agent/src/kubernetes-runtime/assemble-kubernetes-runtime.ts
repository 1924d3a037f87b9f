import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@postern/messaging';
import type { OutboundGuard } from '@postern/outbound';
import { describeGitError } from '../infrastructure/git/git-refusals.js';
import { PinnedRemotes } from '../infrastructure/git/pinned-remotes.js';
import { withoutToken } from '../infrastructure/git/remote-access.js';
import { type Credentials, credentialsIn } from '../infrastructure/registry/registry-access.js';
import { bundledProgram } from '../program-files.js';
import { ImageBuilds } from './builds/image-builds.js';
import { type DescribeGitError, JobSources } from './builds/job-sources.js';
import { Registry } from './builds/registry.js';
import { StoredImages } from './builds/stored-images.js';
import { Cluster } from './cluster.js';
import { JobCommands } from './commands/job-commands.js';
import { DomainRoutes } from './domains/domain-routes.js';
import { KubernetesRuntime, type ServiceLogs } from './kubernetes-runtime.js';
import { LogFollower } from './logs/log-follower.js';
import type { BuildObjectSettings, ImagePrograms } from './objects/build-settings.js';
import type { KubernetesObject } from './objects/kinds.js';
import type { ServiceObjectSettings } from './objects/service-objects.js';
import { ProcessRolls } from './rolls/process-rolls.js';
import { ROLL_TIMES, ServiceRolls } from './rolls/service-rolls.js';

export interface KubernetesRuntimeOptions {
  readonly namespace: string;
  /** The text of a kubeconfig; undefined for the one of the environment. */
  readonly kubeconfig?: string;
  /** The folder in which positions in container logs are stored. */
  readonly platformHome: string;
  readonly services: ServiceObjectSettings;
  readonly builds: BuildObjectSettings;
  /** Checks the hosts of repositories. */
  readonly guard: OutboundGuard;
  readonly logs: ServiceLogs;
  readonly mask: (text: string, secrets: readonly string[]) => string;
  readonly log: Log;
  readonly pollMs?: number;
  readonly minimumAgeMs?: number;
}

const POLL_MS = 1_000;
const MINIMUM_AGE_MS = 15 * 60_000;

/** Assembles the runtime. It does not connect to the cluster before the first order. */
export const assembleKubernetesRuntime = async (options: KubernetesRuntimeOptions): Promise<KubernetesRuntime> => {
  const { builds: buildSettings, services: settings, guard, logs, log, pollMs = POLL_MS } = options;
  const remotes = new PinnedRemotes(guard);
  const describeError: DescribeGitError = (errors, url, access) =>
    describeGitError(withoutToken(errors, access), url, remotes, access?.kind);
  await mkdir(options.platformHome, { recursive: true });
  const cluster = new Cluster(options.namespace, options.kubeconfig);
  const registry = new Registry(buildSettings.repository, buildSettings.insecureRegistry, () =>
    credentialsOf(cluster, buildSettings),
  );
  const builds = new ImageBuilds({
    cluster,
    settings: buildSettings,
    programs: bundledPrograms,
    images: new StoredImages(registry, buildSettings.repository, cluster, log),
    remotes,
    describeError,
    log,
    pollMs,
    minimumAgeMs: options.minimumAgeMs ?? MINIMUM_AGE_MS,
  });
  const sources = new JobSources({ cluster, settings: buildSettings, remotes, describeError, pollMs });
  const follower = new LogFollower(
    cluster,
    (...of) => logs.writer(...of),
    join(options.platformHome, 'kubernetes-log-positions.json'),
    log,
    pollMs,
  );
  const commands = new JobCommands({
    cluster,
    settings,
    follower,
    writerOf: (...of) => logs.writer(...of),
    mask: options.mask,
    pollMs: pollMs / 2,
  });
  const times = { ...ROLL_TIMES, pollMs: pollMs / 2 };
  const processes = new ProcessRolls(cluster, settings, times);
  const rolls = new ServiceRolls(cluster, settings, options.mask, times, commands, processes);
  const domains = new DomainRoutes(cluster, settings);
  return new KubernetesRuntime({ cluster, sources, builds, rolls, commands, domains, follower, logs, settings });
};

const bundledPrograms = async (): Promise<ImagePrograms> => {
  const program = async (name: string) => ({
    name: `${name}.mjs`,
    text: await readFile(bundledProgram(name), 'utf8'),
  });
  return {
    build: await program('image-build'),
    staticServer: await program('static-server'),
    push: await program('image-push'),
  };
};

/** Reads the credentials from the Secret that is used for pushing images. */
const credentialsOf = async (
  cluster: Cluster,
  { registrySecret, repository }: BuildObjectSettings,
): Promise<Credentials | undefined> => {
  if (!registrySecret) return undefined;
  const secret = await cluster.find<KubernetesObject & { readonly data?: Readonly<Record<string, string>> }>({
    kind: 'Secret',
    name: registrySecret,
  });
  const text = Buffer.from(secret?.data?.['.dockerconfigjson'] ?? '', 'base64').toString('utf8');
  if (text === '') throw new Error(`the Secret ${registrySecret} holds no credentials of a registry`);
  return credentialsIn(text, repository);
};
