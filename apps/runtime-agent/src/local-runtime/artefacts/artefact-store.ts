import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { NO_START_IN_IMAGE } from '../../infrastructure/builders/dockerfile.js';
import { processTypes } from '../../infrastructure/builders/procfile.js';
import { readSmallFile } from '../../infrastructure/builders/small-file.js';
import { artefactStart, type ImageStart, SHELL, shellIn } from '../../infrastructure/builders/start.js';
import { removeTree } from '../../infrastructure/disk.js';
import { IN_FOLDER } from '../instances/in-folder.js';
import type { Launch, LaunchOf } from '../instances/instance-starter.js';
import { installStaticServer } from './static-server-program.js';

const run = promisify(execFile);

const metadata = z.object({
  deploymentId: z.string(),
  webServiceId: z.string(),
  commit: z.string(),
  /** Undefined if only the start command of the web service can start it. */
  start: artefactStart.optional(),
  /** The folder in which all commands run; undefined for the root folder. */
  folder: z.string().optional(),
  description: z.object({ subject: z.string(), author: z.string() }).optional(),
});

export type ArtefactMetadata = Readonly<z.infer<typeof metadata>>;

const TREE = 'tree';
const METADATA = 'artefact.json';

export const treeOf = (draft: string): string => join(draft, TREE);

/** The artefacts of builds below `<platform home>/artefacts`: complete, immutable, and deleted as a whole. */
export class ArtefactStore {
  readonly #folder: string;
  #kept: ReadonlySet<string> | undefined;
  #staticServer: Promise<string> | undefined;

  /** @param minimumAgeMs how long a new artefact is kept in any case: the caller of `retain` may not have its reference yet. */
  constructor(
    private readonly platformHome: string,
    private readonly minimumAgeMs = 15 * 60_000,
    /** The group that can read the artefacts of a web service; undefined if processes run as Postern's own user. */
    private readonly groupOf?: (webServiceId: string) => Promise<number>,
    /** Whether instances write to a working copy of the artefact instead of the artefact. */
    private readonly hasWorkingCopies = false,
  ) {
    this.#folder = join(platformHome, 'artefacts');
  }

  async metadataOf(reference: string): Promise<ArtefactMetadata | undefined> {
    const text = await readFile(join(this.#pathOf(reference), METADATA), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : metadata.parse(JSON.parse(text));
  }

  /** Turns a draft into the artefact of its deployment. All processes of the build must have ended. */
  async keep(draft: string, about: ArtefactMetadata): Promise<void> {
    const tree = treeOf(draft);
    await removeTree(join(tree, '.git'));
    // Neither chown nor chmod follows links here.
    const group = this.hasWorkingCopies ? await this.groupOf?.(about.webServiceId) : undefined;
    if (process.getuid?.() === 0) await run('chown', ['-hR', `0:${group ?? 0}`, '--', draft]);
    // A working copy has the modes of the artefact, which itself is mounted read-only; programs copy files with their modes.
    const modes = group === undefined ? 'u+rX,go=u,a-w' : 'u+rwX,go=u,o-w';
    await run('chmod', ['-R', `${modes},ug-s,-t`, '--', tree]);
    await writeFile(join(draft, METADATA), JSON.stringify(about));
    await this.#close(draft, about);
    await mkdir(this.#folder, { recursive: true });
    // Instances of other web services can traverse the folder, but cannot list it.
    await chmod(this.#folder, 0o711);
    await run('sync', ['--file-system', '--', draft]).catch(() => {});
    await rename(draft, this.#pathOf(about.deploymentId));
  }

  /** Allows only the processes of its web service to read the artefact. */
  async #close(path: string, { webServiceId }: ArtefactMetadata): Promise<void> {
    if (this.groupOf) await chown(path, 0, await this.groupOf(webServiceId));
    await chmod(path, 0o750);
  }

  /** How to start an instance. @throws if the artefact does not exist, or has no start command. */
  async launchOf(...[reference, startCommand]: Parameters<LaunchOf>): Promise<Launch> {
    const about = await this.metadataOf(reference);
    if (!about) throw new Error('the artefact of this release no longer exists');
    const tree = treeOf(this.#pathOf(reference));
    if (about.start?.kind === 'image') return imageLaunch(tree, about.start, startCommand);
    const { folder } = about;
    const command =
      typeof startCommand === 'object'
        ? await processIn(join(tree, folder ?? '.'), startCommand.processType)
        : startCommand;
    const how = command === undefined ? about.start : ({ kind: 'command', command } as const);
    if (!how) throw new Error('the release has no start command');
    return how.kind === 'command'
      ? { directory: tree, folder: '.', argv: ['/bin/sh', '-c', shellIn(folder), how.command] }
      : {
          directory: tree,
          folder: join(folder ?? '.', how.folder),
          argv: [process.execPath, await this.#installedStaticServer()],
        };
  }

  #installedStaticServer(): Promise<string> {
    this.#staticServer ??= installStaticServer(this.platformHome);
    this.#staticServer.catch(() => {
      this.#staticServer = undefined;
    });
    return this.#staticServer;
  }

  async retain(keep: ReadonlySet<string>): Promise<void> {
    this.#kept = keep;
    await this.clean();
  }

  /** Deletes the artefacts of a web service. */
  async removeOf(webServiceId: string): Promise<void> {
    for (const reference of await readdir(this.#folder).catch(() => []))
      if ((await this.metadataOf(reference))?.webServiceId === webServiceId) await this.#remove(reference);
  }

  /** Deletes the artefacts that the last call of `retain` did not list; nothing before the first call. */
  async clean(): Promise<void> {
    const kept = this.#kept;
    if (!kept) return;
    for (const reference of await readdir(this.#folder).catch(() => []))
      if (!kept.has(reference) && !(await this.#isSpared(reference))) await this.#remove(reference);
  }

  async #isSpared(reference: string): Promise<boolean> {
    const made = await stat(join(this.#pathOf(reference), METADATA)).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs < this.minimumAgeMs;
  }

  /** Deletes the metadata first: if Postern crashes, the rest has no metadata and the next `clean` deletes it. */
  async #remove(reference: string): Promise<void> {
    const path = this.#pathOf(reference);
    await removeTree(join(path, METADATA));
    await removeTree(path);
  }

  #pathOf(reference: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(reference)) throw new Error(`${reference} is not a valid artefact id`);
    return join(this.#folder, reference);
  }
}

/** Every command in an image starts in its working directory. Files such as a Procfile are not used. */
const imageLaunch = (tree: string, image: ImageStart, startCommand: Parameters<LaunchOf>[1]): Launch => {
  if (typeof startCommand === 'object')
    throw new Error(
      `the image of this release has no process type ${startCommand.processType}: a Procfile is not used beside a Dockerfile`,
    );
  const argv = startCommand === undefined ? image.argv : ['/bin/sh', '-c', SHELL, startCommand];
  if (argv.length === 0) throw new Error(NO_START_IN_IMAGE);
  return {
    directory: tree,
    folder: '.',
    argv: ['/bin/sh', '-c', IN_FOLDER, image.workingDirectory, ...argv],
    image: { environment: image.environment, user: image.user },
  };
};

const processIn = async (tree: string, type: string): Promise<string> => {
  const command = processTypes((await readSmallFile(tree, 'Procfile')) ?? '')[type];
  if (command === undefined) throw new Error(`the Procfile of this release has no process type ${type}`);
  return command;
};
