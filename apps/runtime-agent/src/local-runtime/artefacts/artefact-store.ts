import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { removeTree } from '../build/disk.js';
import type { Launch } from '../instances/instance-starter.js';
import { start } from './start.js';
import { installStaticServer } from './static-server-program.js';

const run = promisify(execFile);

const metadata = z.object({
  deploymentId: z.string(),
  webServiceId: z.string(),
  commit: z.string(),
  /** Undefined where only the service's own start command can start it. */
  start: start.optional(),
});

export type ArtefactMetadata = Readonly<z.infer<typeof metadata>>;

const TREE = 'tree';
const METADATA = 'artefact.json';
/** Programs that a project has installed for itself are found by name, as npm does it. */
const SHELL = 'PATH="$PWD/node_modules/.bin:$PATH" exec /bin/sh -c "$0"';

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
    await chmod(draft, 0o755);
    await mkdir(this.#folder, { recursive: true });
    // Instances of other services may go through, but not find out what else is there.
    await chmod(this.#folder, 0o711);
    await run('sync', ['--file-system', '--', draft]).catch(() => {});
    await rename(draft, this.#pathOf(about.deploymentId));
  }

  /** How an instance is started. @throws when the artefact is gone, or nothing starts it. */
  async launchOf(reference: string, startCommand: string | undefined): Promise<Launch> {
    const about = await this.metadataOf(reference);
    if (!about) throw new Error('the artefact of this release is gone');
    const tree = treeOf(this.#pathOf(reference));
    const how = startCommand === undefined ? about.start : ({ kind: 'command', command: startCommand } as const);
    if (!how) throw new Error('nothing says how to start it');
    return how.kind === 'command'
      ? { directory: tree, argv: ['/bin/sh', '-c', SHELL, how.command] }
      : { directory: join(tree, how.folder), argv: [process.execPath, await this.#installedStaticServer()] };
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
    if (!/^[A-Za-z0-9-]{1,64}$/.test(reference)) throw new Error(`${reference} names no artefact`);
    return join(this.#folder, reference);
  }
}
