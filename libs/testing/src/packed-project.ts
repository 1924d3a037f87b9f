import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** An empty project into which npm has installed packages in their published form. */
export class PackedProject {
  private constructor(readonly folder: string) {}

  /**
   * Packs built workspaces, and their dependencies from the checkout instead of a registry.
   * @param workspaces their folders, from the root of the checkout
   */
  static async create(...workspaces: readonly string[]): Promise<PackedProject> {
    const project = new PackedProject(mkdtempSync(join(tmpdir(), 'postern-packed-')));
    writeFileSync(join(project.folder, 'package.json'), '{"private": true}');
    const archives: string[] = [];
    for (const folder of withDependencies(workspaces)) archives.push(await project.#pack(folder));
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: project.folder });
    // Only the content of the packages must be resolvable.
    for (const archive of archives) rmSync(join(project.folder, archive));
    return project;
  }

  async #pack(folder: string): Promise<string> {
    const options = ['--json', '--ignore-scripts', '--pack-destination', this.folder];
    const { stdout } = await run('npm', ['pack', ...options], { cwd: join(ROOT, folder), maxBuffer: 64 * 1024 * 1024 });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
    return `./${filename}`;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

/** The folders of packages and of everything they need at run time. */
const withDependencies = (folders: readonly string[]): readonly string[] => {
  const found = new Map<string, string>();
  const add = (folder: string): void => {
    const { name, dependencies = {} } = manifestOf(folder);
    if (found.has(name)) return;
    found.set(name, folder);
    for (const dependency of Object.keys(dependencies)) add(folderOf(dependency, folder));
  };
  for (const folder of folders) add(folder);
  return [...found.values()];
};

/** Where a package is installed for a dependent; a workspace is linked. */
const folderOf = (name: string, dependent: string): string => {
  const own = join(dependent, 'node_modules', name);
  return existsSync(join(ROOT, own)) ? own : relative(ROOT, join(ROOT, 'node_modules', name));
};
