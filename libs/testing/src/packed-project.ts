import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');

/** An empty project into which npm has installed a package in its published form. */
export class PackedProject {
  private constructor(readonly folder: string) {}

  /**
   * Packs a built workspace without dependencies.
   * @param workspace its folder, from the root of the checkout
   */
  static async create(workspace: string): Promise<PackedProject> {
    const project = new PackedProject(mkdtempSync(join(tmpdir(), 'postern-packed-')));
    writeFileSync(join(project.folder, 'package.json'), '{"private": true}');
    const archive = await project.#pack(workspace);
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: project.folder });
    // Only the content of the package must be resolvable.
    rmSync(join(project.folder, archive));
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
