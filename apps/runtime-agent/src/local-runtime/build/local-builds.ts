import { join } from 'node:path';
import type { Log } from '@postern/messaging';
import {
  BuildFailed,
  type BuildOrder,
  type BuiltArtefact,
  type CommitDescription,
  type LogWriter,
  type ResolvedSource,
  type Source,
} from '@postern/runtime';
import { type BuildPlan, buildCommandOf, logRulesOf } from '../../infrastructure/builders/build-plan.js';
import { requireTools, startOf } from '../../infrastructure/builders/builders.js';
import { machineOf } from '../../infrastructure/builders/machine.js';
import { largeFilesNotFetched } from '../../infrastructure/builders/not-fetched.js';
import { procfileRules } from '../../infrastructure/builders/procfile.js';
import { projectIn } from '../../infrastructure/builders/project.js';
import { type ProjectPlace, planFor } from '../../infrastructure/builders/project-folder.js';
import { requireUnixScript } from '../../infrastructure/builders/script.js';
import { freeBytes } from '../../infrastructure/disk.js';
import { displayedUrl } from '../../infrastructure/git/git-refusals.js';
import { type ArtefactStore, treeOf } from '../artefacts/artefact-store.js';
import type { MarkedProcesses } from '../instances/marked-processes.js';
import { BUILD_MARKER } from '../instances/process-markers.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { UserAssignments } from '../sandbox/user-assignments.js';
import { type ImageSources, imageIn } from '../source/image-sources.js';
import { requireLinksInside } from '../source/links.js';
import type { RepositorySources } from '../source/repository-sources.js';
import type { UploadedSources } from '../source/uploaded-sources.js';
import { draftOf, homeOf } from './build-environment.js';
import { toBuildFailure } from './build-failure.js';
import type { BuildLimits } from './build-limits.js';
import { BuildOutput } from './build-output.js';
import type { BuildWorkspaces } from './build-workspaces.js';
import type { Builds } from './builds.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import {
  type BuildSite,
  type BuiltStart,
  type DockerfileBuilds,
  type FinishBuild,
  portOf,
} from './dockerfile/dockerfile-builds.js';
import { enterProject } from './enter-project.js';
import { LimitWatch } from './limit-watch.js';
import { runBuildCommand } from './run-build-command.js';

/** Runs a step of a build, so that the caller can measure its duration. */
export type InStep = <T>(name: string, step: () => Promise<T>) => Promise<T>;

/** What is known about the commit once it is fetched, also if the build fails. */
interface Fetched {
  description?: CommitDescription;
}

export interface LocalBuildsParts {
  readonly sources: RepositorySources;
  readonly uploadedSources: UploadedSources;
  readonly images: ImageSources;
  readonly artefacts: ArtefactStore;
  readonly workspaces: BuildWorkspaces;
  readonly confinement: Sandbox;
  /** The groups that can read the artefacts of web services; undefined if processes run as Postern's own user. */
  readonly groups: UserAssignments | undefined;
  readonly processes: MarkedProcesses;
  readonly limits: BuildLimits;
  /** Maximum number of concurrent builds. */
  readonly concurrentBuilds: number;
  /** The PATH of builds. */
  readonly path: string;
  /** The URL of the API gateway for builds. */
  readonly platformUrl: string;
  readonly registry: Readonly<Record<string, string>>;
  /** Prefix of the ids of this home's places. */
  readonly idPrefix: string;
  /** Ids of places and names of workspaces in use, which `reconcile` skips. */
  readonly underWay: Set<string>;
  readonly inStep: InStep;
  readonly dockerfiles: DockerfileBuilds;
  readonly log: Log;
}

/** Runs builds on this host with limited concurrency, each in a place of its own that is cleared when the build ends. */
export class LocalBuilds implements Builds {
  readonly #limit: ConcurrencyLimit;

  constructor(private readonly parts: LocalBuildsParts) {
    this.#limit = new ConcurrencyLimit(parts.concurrentBuilds);
  }

  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    const image = imageIn(source);
    return image ? this.parts.images.resolve(image, source, signal) : this.parts.sources.resolve(source, signal);
  }

  async build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    signal.throwIfAborted();
    const deadline = AbortSignal.timeout(order.deadlineMs);
    const either = AbortSignal.any([signal, deadline]);
    const fetched: Fetched = {};
    try {
      const artefact = await this.#limit.run(either, () => this.#build(order, output, either, fetched));
      return { ...artefact, ...fetched };
    } catch (error) {
      if (error === deadline.reason && !signal.aborted)
        throw new BuildFailed(
          `the build did not finish within ${Math.ceil(order.deadlineMs / 1_000)} s`,
          fetched.description,
        );
      throw toBuildFailure(error, fetched.description);
    }
  }

  retainArtefacts(keep: ReadonlySet<string>): Promise<void> {
    return this.parts.artefacts.retain(keep);
  }

  async remove(webServiceId: string): Promise<void> {
    const { artefacts, workspaces, confinement, groups } = this.parts;
    const id = this.#placeOfWorkspace(webServiceId);
    await (await confinement.find(id)).clear();
    for (const name of await workspaces.names()) if (name.startsWith(`${webServiceId}.`)) await workspaces.remove(name);
    await workspaces.removeCache(webServiceId);
    await artefacts.removeOf(webServiceId);
    await confinement.release(id);
    // Last, because the group can be reassigned to another web service from here on.
    await groups?.release(webServiceId);
  }

  /** Stops builds that an earlier Postern process left unfinished, and deletes their files. */
  async reconcile(): Promise<void> {
    const { workspaces, processes, confinement, idPrefix, underWay, log } = this.parts;
    const marked = [...(await processes.scan()).keys()].filter(id => id.startsWith(idPrefix));
    const connected = (await confinement.networkIds()).filter(id => id.startsWith(`${idPrefix}build-`));
    const names = (await workspaces.names()).filter(name => !underWay.has(name));
    const ids = [...marked, ...connected, ...names.map(name => this.#placeOfWorkspace(name))].filter(
      id => !underWay.has(id),
    );
    for (const id of new Set(ids)) {
      log.warn({ build: id }, 'Stopping an interrupted build');
      await (await confinement.find(id)).clear();
    }
    for (const name of names) if (!underWay.has(name)) await workspaces.remove(name);
  }

  async #build(order: BuildOrder, writer: LogWriter, signal: AbortSignal, fetched: Fetched): Promise<BuiltArtefact> {
    const { artefacts, workspaces, confinement, underWay, limits } = this.parts;
    const artefact = { reference: order.deploymentId, commit: order.commit };
    const kept = await artefacts.metadataOf(order.deploymentId);
    if (kept) return { ...artefact, ...(kept.description && { description: kept.description }), ...portOf(kept.start) };
    const name = `${order.webServiceId}.${order.deploymentId}`;
    const id = this.#placeOfWorkspace(name);
    let place = await confinement.find(id);
    underWay.add(id).add(name);
    try {
      // Removes what an interrupted build of the same web service left.
      await place.clear();
      await workspaces.remove(name);
      await this.#freeDiskSpace();
      if (order.clearCache) await workspaces.removeCache(order.webServiceId);
      place = await confinement.prepare(id, undefined, { network: { webServiceId: order.webServiceId } });
      const folders = await workspaces.make(name, order.webServiceId, place);
      const output = new BuildOutput(writer, limits.outputBytes, order.secrets);
      if (order.clearCache) output.logLine('The build cache is empty, as requested');
      const built = await this.#make(order, { place, id, folders, output }, signal, fetched);
      const { deploymentId, webServiceId, commit } = order;
      const draft = await workspaces.takeOut(folders.workspace, signal);
      await artefacts.keep(draft, { deploymentId, webServiceId, commit, ...built, ...fetched });
      return { ...artefact, ...portOf(built.start) };
    } finally {
      try {
        await place.clear();
        await workspaces.remove(name);
      } finally {
        // From here on, `reconcile` handles what could not be removed.
        underWay.delete(id);
        underWay.delete(name);
      }
    }
  }

  /** @returns how to start the artefact. No process of the build is left. */
  async #make(order: BuildOrder, site: BuildSite, signal: AbortSignal, fetched: Fetched): Promise<BuiltStart> {
    const { place, folders } = site;
    let finish: FinishBuild;
    const watch = new LimitWatch(place, folders, this.parts.limits);
    try {
      const limit = AbortSignal.any([signal, watch.signal]);
      finish = await (imageIn(order) ? this.#pull(order, site, limit) : this.#buildSource(order, site, limit, fetched));
    } finally {
      await watch.end();
      await place.clear();
    }
    return finish();
  }

  /** The deadline of the build, and the limits of its files, hold for the download too. */
  async #pull(order: BuildOrder, site: BuildSite, signal: AbortSignal): Promise<FinishBuild> {
    const { images, dockerfiles, inStep } = this.parts;
    const directory = treeOf(draftOf(site.folders.workspace));
    const log = (line: string) => site.output.logLine(line);
    await inStep('pull image', () => images.download(imageIn(order)!, order, directory, log, signal));
    return inStep('unpack image', () => dockerfiles.unpack(order, site, signal));
  }

  async #buildSource(order: BuildOrder, site: BuildSite, limit: AbortSignal, fetched: Fetched): Promise<FinishBuild> {
    const { place, folders, output } = site;
    const directory = treeOf(draftOf(folders.workspace));
    const { upload } = order;
    output.logLine(
      upload
        ? `Unpacking the uploaded source: ${sizeOf(upload.sizeBytes)}, SHA-256 ${upload.digest}`
        : `Fetching ${displayedUrl(order.repositoryUrl)} at ${order.commit}`,
    );
    const marks = { [BUILD_MARKER]: site.id };
    const log = (line: string) => output.logLine(line);
    const checkout = { place, directory, home: homeOf(folders.workspace), marks };
    const description = await this.parts.inStep('fetch source', async () =>
      upload
        ? await this.parts.uploadedSources.unpack(upload, checkout, log, limit)
        : await this.parts.sources.checkOut(order, checkout, log, limit),
    );
    if (description) fetched.description = description;
    for (const line of await largeFilesNotFetched(projectIn(directory))) output.logLine(line);
    const at = await enterProject(directory, machineOf(this.parts.path), order, log);
    const tool = at.workspace ? undefined : await this.parts.dockerfiles.toolFor(directory, order, log);
    return tool === undefined
      ? this.#buildProject(directory, at, order, site, limit)
      : this.parts.inStep('build image', () => this.parts.dockerfiles.build(tool, order, site, limit));
  }

  async #buildProject(
    directory: string,
    at: ProjectPlace,
    order: BuildOrder,
    site: BuildSite,
    signal: AbortSignal,
  ): Promise<FinishBuild> {
    const { output } = site;
    const buildPlan = await this.#buildPlanFor(directory, at, order, output);
    const command = buildCommandOf(buildPlan, order.buildCommand);
    const { environment = {} } = buildPlan;
    if (command !== undefined)
      await this.parts.inStep('run build command', () =>
        runBuildCommand(this.parts, { command, variables: environment, order, site }, signal),
      );
    return async () => {
      const { folder } = buildPlan;
      const inFolder = join(directory, folder ?? '.');
      if (order.startCommand !== undefined) {
        await requireUnixScript(projectIn(inFolder), order.startCommand);
        return folder === undefined ? {} : { folder };
      }
      const start = await startOf(inFolder, buildPlan, this.parts.dockerfiles.refusalOf(order));
      if (start.kind === 'static') await requireLinksInside(directory);
      else await requireUnixScript(projectIn(inFolder), start.command);
      output.logLine(start.kind === 'static' ? `Serves the files in ${start.folder}` : `Starts by: ${start.command}`);
      return { start, ...(folder !== undefined && { folder }) };
    };
  }

  /** Logs the rules that the commands of the order do not override. */
  async #buildPlanFor(directory: string, at: ProjectPlace, order: BuildOrder, output: BuildOutput): Promise<BuildPlan> {
    const machine = machineOf(this.parts.path);
    const buildPlan = await planFor(directory, at, machine);
    const procfile = await projectIn(join(directory, buildPlan.folder ?? '.')).read('Procfile');
    if (order.startCommand === undefined) for (const rule of procfileRules(procfile ?? '')) output.logLine(rule);
    for (const rule of logRulesOf(buildPlan, order.buildCommand)) output.logLine(rule);
    if (order.buildCommand !== undefined) return buildPlan;
    requireTools(buildPlan, machine);
    return buildPlan;
  }

  /**
   * Deletes old artefacts, then package caches, if the disk is nearly full; does not wait for the next periodic cleanup.
   * @throws BuildFailed if the disk is still nearly full.
   */
  async #freeDiskSpace(): Promise<void> {
    const { artefacts, workspaces, limits } = this.parts;
    await workspaces.makeFolders();
    const isShort = async () => (await freeBytes(workspaces.folder)) < limits.freeBytes;
    if (await isShort()) await artefacts.clean();
    if (await isShort()) await workspaces.dropCaches();
    if (await isShort())
      throw new BuildFailed(
        `the disk is nearly full: less than ${Math.round(limits.freeBytes / 2 ** 20)} MiB are free`,
      );
  }

  /** Builds of one web service share a place, and so a user and a cache. The workspace of a source request is named after its own place. */
  #placeOfWorkspace(name: string): string {
    return name.startsWith(this.parts.idPrefix) ? name : `${this.parts.idPrefix}build-${name.split('.')[0]}`;
  }
}

const sizeOf = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 1_024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
