import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@postern/testing';

const ENTRY = fileURLToPath(new URL('../../../../apps/load-balancer/dist/bundle.js', import.meta.url));

/** The bundled load balancer as a process, with its own platform home. */
export class BalancerProcess {
  private constructor(
    readonly home: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<BalancerProcess> {
    const home = await mkdtemp(join(tmpdir(), 'postern-balancer-'));
    // Builds and instances run as other users if the test runs as root.
    await chmod(home, 0o755);
    const child = spawn(process.execPath, [ENTRY], {
      env: {
        ...compileCache(),
        PATH: process.env['PATH'],
        POSTERN_PLATFORM_HOME: home,
        POSTERN_EXIT_WITH_PARENT: 'true',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit').then(() => Promise.reject(new Error('the load balancer did not start')));
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit]);
    exit.catch(() => {});
    child.stdout.resume();
    return new BalancerProcess(home, child);
  }

  /** Stops the process and deletes its home. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await exit;
    }
    await rm(this.home, { recursive: true, force: true });
  }
}
