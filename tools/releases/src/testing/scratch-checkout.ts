import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');
const LINK_DEPENDENCIES = new URL('../../link-dependencies.mjs', import.meta.url).href;

/** The exit code and output of a program. */
export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

/** A clone of this checkout with its uncommitted changes, in which a test can commit and release. */
export class ScratchCheckout {
  readonly #folder = mkdtempSync(join(tmpdir(), 'postern-scratch-'));
  readonly path = join(this.#folder, 'checkout');

  private constructor() {
    execFileSync('git', ['clone', '--quiet', '--shared', ROOT, this.path]);
    this.git('config', 'user.name', 'A developer');
    this.git('config', 'user.email', 'developer@example.com');
    this.git('config', 'core.hooksPath', '/dev/null');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
    const paths = (...args: string[]) =>
      git(...args)
        .split('\0')
        .filter(Boolean);
    const changed = paths('diff', '-z', '--name-only', '--no-renames', 'HEAD');
    for (const path of [...changed, ...paths('ls-files', '-z', '--others', '--exclude-standard')]) {
      rmSync(join(this.path, path), { force: true });
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(this.path, path));
    }
    // Removes the version plans of the next releases, which are not part of the test.
    rmSync(join(this.path, '.nx/version-plans'), { recursive: true, force: true });
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'as it is');
  }

  /**
   * Clones the checkout, links its dependencies and builds the release tools.
   * @param packages `links` are symbolic; `files` are copies, which images and bundles can be packed from
   */
  static async make(packages: 'links' | 'files' = 'links'): Promise<ScratchCheckout> {
    const checkout = new ScratchCheckout();
    const { linkDependencies } = (await import(LINK_DEPENDENCIES)) as {
      linkDependencies(from: string, to: string): void;
    };
    if (packages === 'links') linkDependencies(ROOT, checkout.path);
    else checkout.#copyPackages();
    await checkout.node('node_modules/typescript/bin/tsc', '-b', '--singleThreaded', 'tools/releases');
    return checkout;
  }

  #copyPackages(): void {
    const folders = execFileSync('git', ['ls-files', '-z', '--', '*package.json'], { cwd: ROOT, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean)
      .map(path => join(dirname(path), 'node_modules'))
      .filter(path => existsSync(join(ROOT, path)));
    for (const path of folders) execFileSync('cp', ['-a', '--reflink=auto', join(ROOT, path), join(this.path, path)]);
    // Results of this checkout; the installed servers are the same.
    const caches = join(this.path, 'node_modules/.cache');
    for (const name of existsSync(caches) ? readdirSync(caches) : [])
      if (name !== 'postern') rmSync(join(caches, name), { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.path, encoding: 'utf8' }).trim();
  }

  read(path: string): string {
    return readFileSync(join(this.path, path), 'utf8');
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), content);
  }

  replace(path: string, from: string, to: string): void {
    const before = this.read(path);
    if (!before.includes(from)) throw new Error(`${path} has no ${from}`);
    this.write(path, before.replaceAll(from, to));
  }

  commit(message: string): string {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Paths of all worktrees except the checkout itself. */
  worktrees(): readonly string[] {
    const lines = this.git('worktree', 'list', '--porcelain').split('\n');
    return lines.filter(line => line.startsWith('worktree ')).slice(1);
  }

  /** Runs a program of the checkout. */
  node(...args: string[]): Promise<ProgramResult> {
    return this.start(args).ended;
  }

  /** Starts a program of the checkout. `printed` resolves when its output contains the text. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, args, {
      cwd: this.path,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const listeners = new Set<() => void>();
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
      for (const listener of listeners) listener();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const ended = new Promise<ProgramResult>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', code => resolve({ code, output }));
    });
    const printed = (text: string) =>
      Promise.race([
        new Promise<void>(resolve => {
          const listener = () => {
            if (output.includes(text)) resolve();
          };
          listeners.add(listener);
          listener();
        }),
        ended.then(() => Promise.reject(new Error(`the program ended without printing "${text}":\n${output}`))),
      ]);
    return { pid: child.pid as number, ended, printed };
  }
}
