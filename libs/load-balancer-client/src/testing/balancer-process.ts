import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Lets Node.js run TypeScript sources: `./x.js` is `./x.ts` there. */
const typescriptImports = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) =>
    next(/^\\.\\.?\\/.*\\.js$/.test(name) && context.parentURL?.endsWith('.ts') ? name.replace(/\\.js$/, '.ts') : name, context) });`)}`;

/** Arguments with which Node.js runs the sources of this workspace without a build. */
export const SOURCE_FLAGS = [
  '--conditions=postern-source',
  '--experimental-transform-types',
  '--no-warnings',
  '--import',
  typescriptImports,
];

const ENTRY = fileURLToPath(new URL('../../../../apps/load-balancer/src/main.ts', import.meta.url));

/** The real load balancer as a process, for a platform home of the test's own. */
export class BalancerProcess {
  private constructor(
    readonly home: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<BalancerProcess> {
    const home = await mkdtemp(join(tmpdir(), 'postern-balancer-'));
    // Builds and instances run as other users where the test is root.
    await chmod(home, 0o755);
    const child = spawn(process.execPath, [...SOURCE_FLAGS, ENTRY], {
      env: { PATH: process.env['PATH'], POSTERN_PLATFORM_HOME: home, POSTERN_EXIT_WITH_PARENT: 'true' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit').then(() => Promise.reject(new Error('the load balancer did not start')));
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit]);
    exit.catch(() => {});
    child.stdout.resume();
    return new BalancerProcess(home, child);
  }

  /** Ends the process and deletes the home. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await exit;
    }
    await rm(this.home, { recursive: true, force: true });
  }
}
