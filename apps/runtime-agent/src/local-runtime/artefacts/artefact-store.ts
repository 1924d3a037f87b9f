import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { NO_START_IN_IMAGE } from '../../infrastructure/builders/dockerfile.js';
import { processTypes } from '../../infrastructure/builders/procfile.js';
import { readSmallFile } from '../../infrastructure/builders/small-file.js';
import { artefactStart, type ImageStart, SHELL } from '../../infrastructure/builders/start.js';
import { removeTree } from '../../infrastructure/disk.js';
import { IN_FOLDER } from '../instances/in-folder.js';
import type { Launch, LaunchOf } from '../instances/instance-starter.js';
import { installStaticServer } from './static-server-program.js';

const run = promisify(execFile);

const metadata = z.object({
  deploymentId: z.string(),
  webServiceId: z.string(),
  commit: z.string(),
  /** Undefined where only the service's own start command can start it. */
  start: artefactStart.optional(),
});

export type ArtefactMetadata = Readonly<z.infer<typeof metadata>>;

const TREE = 'tree';
const METADATA = 'artefact.json';

export const treeOf = (draft: string): string => join(draft, TREE);

/** What builds have made, below `<platform home>/artefacts`: each complete, never changed, and deleted as a whole. */
export class ArtefactStore {
  readonly #folder: string;
  #kept: ReadonlySet<string> | undefined;
  #staticServer: Promise<string> | undefined;

  /** @param spareMs how long a new artefact is kept: the caller may not know of it yet. */
  constructor(
    private readonly platformHome: string,
    private readonly spareMs = 15 * 60_000,
    /** The group that may read the artefacts of a web service; undefined where everything runs as we do. */
    private readonly groupOf?: (webServiceId: string) => Promise<number>,
  ) {
    this.#folder = join(platformHome, 'artefacts');
  }

  async metadataOf(reference: string): Promise<ArtefactMetadata | undefined> {
    const text = await readFile(join(this.#pathOf(reference), METADATA), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : metadata.parse(JSON.parse(text));
  }

  /** Makes a draft, whose processes are all gone, the artefact of its deployment. */
  async keep(draft: string, about: ArtefactMetadata): Promise<void> {
    const tree = treeOf(draft);
    await removeTree(join(tree, '.git'));
    // Neither follows links.
    if (process.getuid?.() === 0) await run('chown', ['-hR', '0:0', '--', draft]);
    await run('chmod', ['-R', 'u+rX,go=u,a-w,ug-s,-t', '--', tree]);
    await writeFile(join(draft, METADATA), JSON.stringify(about));
    await this.#close(draft, about);
    await mkdir(this.#folder, { recursive: true });
    // Instances of other services may go through, but not find out what else is there.
    await chmod(this.#folder, 0o711);
    await run('sync', ['--file-system', '--', draft]).catch(() => {});
    await rename(draft, this.#pathOf(about.deploymentId));
  }

  /** Closes what an earlier release left open to every user of this machine. */
  async closeToOthers(): Promise<void> {
    for (const reference of await readdir(this.#folder).catch(() => [])) {
      const about = await this.metadataOf(reference).catch(() => undefined);
      if (about) await this.#close(this.#pathOf(reference), about);
    }
  }

  /** Only the processes of its web service may read it. */
  async #close(path: string, { webServiceId }: ArtefactMetadata): Promise<void> {
    if (this.groupOf) await chown(path, 0, await this.groupOf(webServiceId));
    await chmod(path, 0o750);
  }

  /** How an instance is started. @throws when the artefact is gone, or nothing starts it. */
  async launchOf(...[reference, startCommand]: Parameters<LaunchOf>): Promise<Launch> {
    const about = await this.metadataOf(reference);
    if (!about) throw new Error('the artifact of this release no longer exists');
    const tree = treeOf(this.#pathOf(reference));
    if (about.start?.kind === 'image') return imageLaunch(tree, about.start, startCommand);
    const command = typeof startCommand === 'object' ? await processIn(tree, startCommand.processType) : startCommand;
    const how = command === undefined ? about.start : ({ kind: 'command', command } as const);
    if (!how) throw new Error('the release has no start command');
    return how.kind === 'command'
      ? { directory: tree, folder: '.', argv: ['/bin/sh', '-c', SHELL, how.command] }
      : { directory: tree, folder: how.folder, argv: [process.execPath, await this.#installedStaticServer()] };
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

  /** Deletes what the builds of a web service have made. */
  async removeOf(webServiceId: string): Promise<void> {
    for (const reference of await readdir(this.#folder).catch(() => []))
      if ((await this.metadataOf(reference))?.webServiceId === webServiceId) await this.#remove(reference);
  }

  /** Deletes what nobody has wanted to keep when last asked; nothing before that. */
  async clean(): Promise<void> {
    const kept = this.#kept;
    if (!kept) return;
    for (const reference of await readdir(this.#folder).catch(() => []))
      if (!kept.has(reference) && !(await this.#isSpared(reference))) await this.#remove(reference);
  }

  async #isSpared(reference: string): Promise<boolean> {
    const made = await stat(join(this.#pathOf(reference), METADATA)).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs < this.spareMs;
  }

  /** Half a deletion is none: what is left has no metadata, and goes the next time. */
  async #remove(reference: string): Promise<void> {
    const path = this.#pathOf(reference);
    await removeTree(join(path, METADATA));
    await removeTree(path);
  }

  #pathOf(reference: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(reference)) throw new Error(`${reference} is not the id of an artifact`);
    return join(this.#folder, reference);
  }
}

/** In an image, everything is started in its working directory. Its files say nothing about how. */
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
    image: { environment: image.environment },
  };
};

const processIn = async (tree: string, type: string): Promise<string> => {
  const command = processTypes((await readSmallFile(tree, 'Procfile')) ?? '')[type];
  if (command === undefined) throw new Error(`the Procfile of this release has no process type ${type}`);
  return command;
};
