import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Log } from '@postern/messaging';
import type { OutboundGuard } from '@postern/outbound';
import type { SourceUploads } from '@postern/runtime';
import { machineOf } from '../../infrastructure/builders/machine.js';
import { PinnedRemotes } from '../../infrastructure/git/pinned-remotes.js';
import { ArtefactStore } from '../artefacts/artefact-store.js';
import type { Confinement } from '../instances/confinement.js';
import type { InstanceLimits } from '../instances/instance-host.js';
import type { LaunchOf } from '../instances/instance-starter.js';
import { MarkedProcesses } from '../instances/marked-processes.js';
import { BUILD_MARKER } from '../instances/process-markers.js';
import { DiskImages } from '../sandbox/areas/disk-images.js';
import { CgroupTree } from '../sandbox/cgroup-tree.js';
import { isolationGaps } from '../sandbox/isolation-gaps.js';
import { NamespaceSandbox } from '../sandbox/namespaces/namespace-sandbox.js';
import { nameFilesOf, PLATFORM_NAME } from '../sandbox/network/name-files.js';
import { hasNetworks, type MachineNetworks } from '../sandbox/network/open-networks.js';
import { PrivateNetwork } from '../sandbox/network/private-network.js';
import type { SandboxNetwork, TenantNetworks } from '../sandbox/network/tenant-network.js';
import { findUsers, ROOT_BLOCKS, shares, type UserRange } from '../sandbox/own-users.js';
import { Sandbox } from '../sandbox/sandbox.js';
import { SystemCallFilters } from '../sandbox/system-calls/system-call-filters.js';
import { UserAssignments } from '../sandbox/user-assignments.js';
import { Git } from '../source/git.js';
import { ImageSources } from '../source/image-sources.js';
import { RepositorySources, SOURCE_TIMES, type SourceTimes } from '../source/repository-sources.js';
import { NO_UPLOADS, UploadedSources } from '../source/uploaded-sources.js';
import { BUILD_LIMITS, type BuildLimits } from './build-limits.js';
import { BuildWorkspaces } from './build-workspaces.js';
import { findContainerTool } from './dockerfile/container-tool.js';
import { DockerfileBuilds } from './dockerfile/dockerfile-builds.js';
import { networkOf, programFolders, programPath, proxiesOf, registryOf } from './host-environment.js';
import { type InStep, LocalBuilds } from './local-builds.js';

export interface LocalBuildsOptions {
  readonly platformHome: string;
  readonly allowFileRepositories: boolean;
  /** Checks the hosts of repositories and registries. */
  readonly guard: OutboundGuard;
  /** The archives that builds can have as their source; none by default. */
  readonly uploads?: SourceUploads;
  readonly instanceLimits: InstanceLimits;
  readonly inStep?: InStep;
  readonly log: Log;
  /** Postern's own environment; only its registry and network settings are passed on. */
  readonly variables?: NodeJS.ProcessEnv;
  readonly limits?: Partial<BuildLimits>;
  /** Maximum number of concurrent builds of all web services; 1 by default. */
  readonly concurrentBuilds?: number;
  readonly times?: Partial<SourceTimes>;
  readonly minimumAgeMs?: number;
  readonly network: MachineNetworks;
  /** Lets a sandbox connect to what is attached to the web service; by default nothing is attached. */
  readonly permit?: (webServiceId: string, network: SandboxNetwork) => Promise<void>;
  /** Folder of the root directories of sandboxes, which several homes can share; in the home by default. */
  readonly sandboxFrames?: string;
  /** Which isolation mechanisms of the host to use; all by default. */
  readonly use?: {
    readonly users?: boolean;
    readonly cgroups?: boolean;
    readonly namespaces?: boolean;
    readonly filters?: boolean;
    readonly images?: boolean;
    readonly networks?: boolean;
  };
}

/** The parts that the rest of the local runtime uses. */
export interface LocalBuildsAssembly {
  readonly builds: LocalBuilds;
  readonly launchOf: LaunchOf;
  /** For instances. */
  readonly confinement: Confinement;
  readonly path: string;
  /** The URL of the API gateway for instances. */
  readonly platformUrl: string;
  /** The networks of sandboxes; undefined if they share that of the machine. */
  readonly networks: TenantNetworks | undefined;
  /** The names of web services within their projects; undefined like `networks`. */
  readonly privateNetwork: PrivateNetwork | undefined;
  /** Whether web services and builds run as separate users. */
  readonly ownUsers: boolean;
  /** Whether images of registries can be run. */
  readonly runsImages: boolean;
  /** Undefined if the kernel cannot limit the files of instances and builds. */
  readonly images: DiskImages | undefined;
  /** The missing isolation of this host, in sentences for operators. */
  readonly isolationGaps: readonly string[];
}

/** Weights under contention for processors and the disk: web services take precedence over builds. */
const WEIGHTS = { instance: 100, build: 20 };

/** Detects the isolation mechanisms of this host and creates the components of builds with them. */
export const assembleLocalBuilds = async (options: LocalBuildsOptions): Promise<LocalBuildsAssembly> => {
  const { platformHome, allowFileRepositories: allowFiles, instanceLimits, log, use = {} } = options;
  const variables = options.variables ?? process.env;
  await mkdir(platformHome, { recursive: true });
  const idPrefix = `${createHash('sha256').update(resolve(platformHome)).digest('hex').slice(0, 10)}-`;
  const users = (use.users ?? true) ? await findUsers(platformHome) : undefined;
  const cgroups = (use.cgroups ?? true) ? await CgroupTree.find('postern') : undefined;
  const path = programPath(variables);
  const namespaces =
    (use.namespaces ?? true)
      ? await NamespaceSandbox.find(platformHome, programFolders(path), options.sandboxFrames)
      : undefined;
  const filters = (use.filters ?? true) ? await SystemCallFilters.find(path) : undefined;
  const images = namespaces && (use.images ?? true) ? await DiskImages.find(platformHome) : undefined;
  const { networks: found, gateway } = options.network;
  const networks = (use.networks ?? true) && hasNetworks(found) ? found : undefined;
  const { permit = async () => undefined } = options;
  const files = nameFilesOf(platformHome);
  const privateNetwork = networks && new PrivateNetwork({ platformHome, networks, files });
  const ofPlaces = networks && {
    of: networks,
    files,
    filesOf: (webServiceId: string) => privateNetwork!.filesOf(webServiceId),
    permit: async (webServiceId: string, network: SandboxNetwork) => {
      await permit(webServiceId, network);
      await privateNetwork!.permit(webServiceId, network);
    },
  };
  const platformHost = networks ? (namespaces ? PLATFORM_NAME : networks.platformAddress) : gateway.host;
  const platformUrl = `http://${platformHost}:${gateway.port}`;
  const gaps = isolationGaps({
    sharedNetwork: hasNetworks(found) ? undefined : found.unavailable,
    closedChains: (await networks?.closedChains()) ?? [],
    users: users !== undefined,
    namespaces: namespaces !== undefined,
    cgroups: cgroups !== undefined,
    filters: filters !== undefined,
    images: images !== undefined,
  });
  for (const gap of gaps) log.warn({}, gap);

  const ranges = users && shares(users);
  const assignments = (folder: string, range: UserRange | undefined) =>
    range && new UserAssignments(join(platformHome, 'users', folder), range);
  const groups = assignments('groups', ranges?.groups);
  const limits = { ...BUILD_LIMITS, ...options.limits };
  const processes = new MarkedProcesses(BUILD_MARKER);
  const confinement = new Sandbox({
    home: resolve(platformHome),
    processes,
    users: assignments('builds', ranges?.builds),
    rootBlocks: assignments('roots', ranges && ROOT_BLOCKS),
    namespaces,
    networks: ofPlaces,
    // The package cache of a web service stays for its next build.
    keepsUser: id => !id.startsWith(`${idPrefix}source-`),
    cgroups,
    filters,
    limits: {
      memoryBytes: limits.memoryBytes,
      tasks: limits.tasks,
      cpuMillicores: undefined,
      weight: WEIGHTS.build,
      fileBytes: images ? undefined : limits.diskBytes,
      shortLived: true,
    },
  });
  const workspaces = new BuildWorkspaces(platformHome, limits, images);
  const hasWorkingCopies = namespaces?.hasWorkingCopies === true && images !== undefined;
  if (!hasWorkingCopies)
    log.warn({}, 'Web services cannot write to their application folder: this needs root, overlayfs and loop devices');
  const groupOf = groups && ((id: string) => groups.assign(id));
  const artefacts = new ArtefactStore(platformHome, options.minimumAgeMs, groupOf, hasWorkingCopies);
  const underWay = new Set<string>();
  const sources = new RepositorySources(
    new Git({ platformHome, allowFiles, path, network: networkOf(variables) }),
    new PinnedRemotes(options.guard),
    confinement,
    { folder: workspaces.folder, idPrefix, marker: BUILD_MARKER, underWay },
    { ...SOURCE_TIMES, ...options.times },
  );
  const answer = findContainerTool(machineOf(path), namespaces !== undefined && users !== undefined);
  const dockerfiles = new DockerfileBuilds({
    answer,
    path,
    platformUrl,
    proxies: proxiesOf(variables),
    limits,
  });
  const builds = new LocalBuilds({
    sources,
    images: new ImageSources(options.guard, limits.imageBytes),
    uploadedSources: new UploadedSources(options.uploads ?? NO_UPLOADS, path),
    dockerfiles,
    artefacts,
    workspaces,
    confinement,
    groups,
    processes,
    limits,
    concurrentBuilds: options.concurrentBuilds ?? 1,
    path,
    platformUrl,
    registry: registryOf(variables),
    idPrefix,
    underWay,
    inStep: options.inStep ?? ((_, step) => step()),
    log,
  });
  const instances = new Sandbox({
    home: resolve(platformHome),
    processes: new MarkedProcesses(),
    users: assignments('instances', ranges?.instances),
    groups,
    namespaces,
    networks: ofPlaces,
    keepsUser: () => false,
    cgroups,
    filters,
    limits: {
      ...instanceLimits,
      weight: WEIGHTS.instance,
      // With images, writes above the limit fail instead.
      fileBytes: images ? undefined : instanceLimits.diskBytes,
      shortLived: false,
    },
  });
  return {
    builds,
    launchOf: (...launch) => artefacts.launchOf(...launch),
    confinement: instances,
    path,
    platformUrl,
    networks,
    privateNetwork,
    ownUsers: users !== undefined,
    runsImages: 'tool' in answer,
    images,
    isolationGaps: gaps,
  };
};
