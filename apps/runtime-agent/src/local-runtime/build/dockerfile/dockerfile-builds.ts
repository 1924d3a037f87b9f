import { execFile } from 'node:child_process';
import { lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BuildFailed, type BuildOrder, type BuiltArtefact, type DockerfileOptions } from '@postern/runtime';
import {
  DOCKERFILE,
  DOCKERFILE_BUILDS,
  DOCKERFILE_IS_LINK,
  DOCKERFILE_IS_REPLACED,
  DOCKERFILE_STARTS_NOTHING,
  dockerfileCannotBeUsed,
  dockerfileIn,
  NO_START_IN_IMAGE,
} from '../../../infrastructure/builders/dockerfile.js';
import { readSmallFile } from '../../../infrastructure/builders/small-file.js';
import type { ArtefactStart, ImageStart } from '../../../infrastructure/builders/start.js';
import { removeTree } from '../../../infrastructure/disk.js';
import { treeOf } from '../../artefacts/artefact-store.js';
import { exitReason } from '../../instances/exit-reason.js';
import { PLATFORM_URL } from '../../instances/instance-environment.js';
import { BUILD_MARKER } from '../../instances/process-markers.js';
import { type Exit, runConfined } from '../../sandbox/confined-run.js';
import type { SandboxPlace } from '../../sandbox/sandbox.js';
import { areaOf, type BuildFolders, draftOf, temporaryOf } from '../build-environment.js';
import type { BuildLimits } from '../build-limits.js';
import type { BuildOutput } from '../build-output.js';
import { requireWithinLimits } from '../limit-watch.js';
import { BUILT, buildCommand, secretsOf } from './build-script.js';
import type { ContainerTool, ContainerToolAnswer } from './container-tool.js';
import { requireDockerfile, resolvedOptions, stageNotFound } from './dockerfile-options.js';
import { imageStartOf } from './image-configuration.js';
import { prepareImage } from './image-tree.js';
import { ToolProgress } from './tool-progress.js';

const CONFIGURATION_BYTES = 4 * 2 ** 20;

/** The context of the build is in /app. */
const FROM_DIRECTORY = 'FROM dir:/app\n';
const NO_SECRETS: ReturnType<typeof secretsOf> = new Map();
const NO_OPTIONS: DockerfileOptions = { buildArguments: {} };

/** Where a build runs. */
export interface BuildSite {
  readonly place: SandboxPlace;
  readonly id: string;
  readonly folders: BuildFolders;
  readonly output: BuildOutput;
}

/** How an artefact is started. */
export interface BuiltStart {
  /** Undefined if only the start command of the order starts it. */
  readonly start?: ArtefactStart;
  /** The folder in which its commands run; undefined for the root folder. */
  readonly folder?: string;
}

/** The port that an image exposes. */
export const portOf = (start: BuiltStart['start']): Pick<BuiltArtefact, 'port'> =>
  start?.kind === 'image' && start.port !== undefined ? { port: start.port } : {};

/** Turns the result of a build into its artefact, after all its processes have ended. */
export type FinishBuild = () => Promise<BuiltStart>;

export interface DockerfileBuildsParts {
  readonly answer: ContainerToolAnswer;
  /** The PATH of builds. */
  readonly path: string;
  /** The URL of the API gateway for builds. */
  readonly platformUrl: string;
  /** Proxy settings of builds. */
  readonly proxies: Readonly<Record<string, string>>;
  readonly limits: BuildLimits;
}

/** Builds the image of a Dockerfile with the container tool of this machine. */
export class DockerfileBuilds {
  constructor(private readonly parts: DockerfileBuildsParts) {}

  /** The tool that builds the source, if its Dockerfile is used; logs the rule that applied. */
  async toolFor(
    directory: string,
    { buildCommand: given, dockerfile }: BuildOrder,
    log: (line: string) => void,
  ): Promise<ContainerTool | undefined> {
    const { answer } = this.parts;
    if (dockerfile) {
      await requireDockerfile(directory, dockerfile);
      if ('missing' in answer) throw new BuildFailed(`the Dockerfile cannot be built: ${answer.missing}`);
      log(dockerfile.path === undefined ? DOCKERFILE_BUILDS : `The image is built from ${dockerfile.path}`);
      return answer.tool;
    }
    const found = await dockerfileIn(directory);
    if (found === undefined) return undefined;
    if (found === 'link') log(DOCKERFILE_IS_LINK);
    else if (given !== undefined) log(DOCKERFILE_IS_REPLACED);
    else if ('missing' in answer) log(dockerfileCannotBeUsed(answer.missing));
    else {
      log(DOCKERFILE_BUILDS);
      return answer.tool;
    }
    return undefined;
  }

  /** The reason why a source that only a Dockerfile can start is not built. */
  refusalOf({ buildCommand: given }: BuildOrder): string {
    const { answer } = this.parts;
    if (given !== undefined || 'tool' in answer) return DOCKERFILE_STARTS_NOTHING;
    return `the repository can only be built from its Dockerfile, but ${answer.missing}`;
  }

  /** Builds the image of the source in the draft. */
  async build(tool: ContainerTool, order: BuildOrder, site: BuildSite, signal: AbortSignal): Promise<FinishBuild> {
    const { output } = site;
    const progress = new ToolProgress(line => output.takeLine(line), order.secrets);
    const options = resolvedOptions(order);
    try {
      await this.#run(tool, secretsOf(order.environment), options, site, progress, signal);
    } catch (error) {
      if (!progress.lacksStage) throw error;
      throw await stageNotFound(treeOf(draftOf(site.folders.workspace)), options);
    }
    return () => this.#keep(order, site);
  }

  /** Unpacks the image in the draft, which is in the directory format of container tools. */
  async unpack(order: BuildOrder, site: BuildSite, signal: AbortSignal): Promise<FinishBuild> {
    const { answer } = this.parts;
    if ('missing' in answer) throw new BuildFailed(`the image cannot be unpacked: ${answer.missing}`);
    await writeFile(join(treeOf(draftOf(site.folders.workspace)), DOCKERFILE), FROM_DIRECTORY);
    await this.#run(
      answer.tool,
      NO_SECRETS,
      NO_OPTIONS,
      site,
      new ToolProgress(() => {}, order.secrets, 'unpacked'),
      signal,
    );
    return () => this.#keep(order, site);
  }

  /** How the kept image is started. */
  async #keep(order: BuildOrder, { folders, output }: BuildSite): Promise<BuiltStart> {
    const start = await this.#keepTree(folders);
    if (start.user !== undefined)
      output.logLine(
        `Instances do not run as the user ${start.user} of the image but as one of the web service, because web services share no user`,
      );
    if (order.startCommand !== undefined) return { start };
    if (start.argv.length === 0) throw new BuildFailed(NO_START_IN_IMAGE);
    output.logLine(`Starts by: ${start.argv.join(' ')}`);
    return { start };
  }

  /** Runs the tool as root of a user namespace. @throws BuildFailed with the reason that the tool printed. */
  async #run(
    tool: ContainerTool,
    secrets: ReturnType<typeof secretsOf>,
    options: DockerfileOptions,
    site: BuildSite,
    progress: ToolProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const { id, place, folders } = site;
    const view = await this.#viewOf(site);
    const exit = await runConfined(
      { wrap: argv => view.wrap(argv, '.') },
      {
        argv: buildCommand(tool, secrets, options),
        directory: view.startDirectory,
        environment: { PATH: this.parts.path, [BUILD_MARKER]: id },
        variables: {
          ...this.parts.proxies,
          [PLATFORM_URL]: this.parts.platformUrl,
          ...Object.fromEntries(secrets.values()),
          HOME: view.folders.home,
          TMPDIR: view.folders.temporary,
        },
        onOutput: (chunk, stream) => progress.output.push(chunk, stream),
      },
      signal,
    );
    progress.output.end();
    if ('code' in exit && exit.code === 0) return;
    await requireWithinLimits(place, this.parts.limits, folders);
    throw new BuildFailed(progress.failure ?? `the image cannot be ${progress.aim}: ${tool} ${endOf(exit)}`);
  }

  /** Moves the image to the tree of the draft, after all processes of the build have ended. */
  async #keepTree({ workspace }: BuildFolders): Promise<ImageStart> {
    const home = toolHomeOf(workspace);
    const image = join(home, BUILT.image);
    if (!(await lstat(image)).isDirectory()) throw new BuildFailed('the image cannot be run: it has no folders');
    const start = imageStartOf((await readSmallFile(home, BUILT.configuration, CONFIGURATION_BYTES)) ?? '');
    const tree = treeOf(draftOf(workspace));
    await removeTree(tree);
    await rename(image, tree);
    await removeTree(home);
    await prepareImage(tree, start.environment['PATH']);
    return start;
  }

  /** Root of the user namespace becomes the owner of the source, as in an image. */
  async #viewOf({ place, folders: { workspace } }: BuildSite) {
    const [app, home, temporary] = [treeOf(draftOf(workspace)), toolHomeOf(workspace), temporaryOf(workspace)];
    await removeTree(join(app, '.git'));
    await mkdir(home, { mode: 0o700 });
    const root = await place.rootId();
    await promisify(execFile)('chown', ['-hR', `${root}:${root}`, '--', app, home, temporary]);
    return place.viewAsRoot({ app, appWritable: false, home, temporary });
  }
}

/** Holds all files of the tool. */
const toolHomeOf = (workspace: string): string => join(areaOf(workspace), 'container-tool');

const endOf = (exit: Exit): string => ('code' in exit ? exitReason(exit.code) : `was killed by ${exit.signal}`);
