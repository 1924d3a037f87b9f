import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LoadBalancerClient } from '@postern/load-balancer-client';
import { waitFor } from '@postern/testing';
import { isAlive } from '../workers/is-alive.js';

const entryPoint = join(import.meta.dirname, '../../dist/main.js');
const PATIENCE = { timeoutMs: 60_000, intervalMs: 5 };

/** The compiled load balancer, restarted whenever its main process exits. */
export class SupervisedBalancer {
  readonly lines: string[] = [];
  #main: ChildProcess | undefined;
  #ready = 0;
  #stopping = false;

  private constructor(
    readonly home: string,
    readonly client: LoadBalancerClient,
    /** For the next main process. */
    readonly environment: Record<string, string>,
    private readonly flags: readonly string[],
    private readonly openFiles: number | undefined,
  ) {}

  /**
   * `flags` are Node.js arguments before the entry point of the load balancer; `openFiles` is the open file limit of
   * each of its processes.
   */
  static async start(
    environment: Record<string, string> = {},
    flags: readonly string[] = [],
    openFiles: number | undefined = undefined,
  ): Promise<SupervisedBalancer> {
    const home = await mkdtemp(join(tmpdir(), 'postern-balancer-'));
    const client = new LoadBalancerClient(home, { timeoutMs: 60_000 });
    const balancer = new SupervisedBalancer(home, client, environment, flags, openFiles);
    balancer.#spawn();
    await balancer.untilReady(1);
    return balancer;
  }

  get mainProcess(): number {
    return this.#main?.pid ?? 0;
  }

  /** How many times a main process has reported readiness. */
  get readyCount(): number {
    return this.#ready;
  }

  /** Waits for the main process to report readiness for the nth time, and for both workers. */
  async untilReady(times: number): Promise<readonly number[]> {
    await waitFor(() => this.#ready >= times, { ...PATIENCE, describe: () => `a main process: ${this.lines}` });
    return this.workers();
  }

  /** The worker processes, once there are two and `killed` is not one of them. */
  workers(killed = 0): Promise<readonly number[]> {
    return waitFor(
      async () => {
        const found = await this.client.workerProcesses();
        return found.length === 2 && !found.includes(killed) ? found : undefined;
      },
      { ...PATIENCE, describe: () => `two workers: ${this.lines}` },
    );
  }

  /** Kills the main process without a restart. */
  async abandon(): Promise<void> {
    this.#stopping = true;
    process.kill(this.mainProcess, 'SIGKILL');
    await untilDead(this.mainProcess);
  }

  /** Stops the main process and its workers gracefully. */
  async halt(): Promise<void> {
    this.#stopping = true;
    if (!this.#main || this.#main.exitCode !== null || this.#main.signalCode !== null) return;
    const exit = once(this.#main, 'exit');
    this.#main.kill('SIGTERM');
    await exit;
  }

  async resume(): Promise<void> {
    this.#stopping = false;
    const before = this.#ready;
    this.#spawn();
    await this.untilReady(before + 1);
  }

  async stop(): Promise<void> {
    await this.halt();
    await rm(this.home, { recursive: true, force: true });
  }

  #spawn(): void {
    const command = [process.execPath, ...this.flags, entryPoint];
    const limit = this.openFiles === undefined ? '' : `ulimit -n ${this.openFiles} && `;
    const main = spawn('/bin/sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
      env: { POSTERN_PLATFORM_HOME: this.home, ...this.environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#main = main;
    createInterface({ input: main.stdout }).on('line', line => {
      this.lines.push(line);
      if (line.startsWith('{"ready":true')) this.#ready += 1;
    });
    main.once('exit', () => {
      if (!this.#stopping) this.#spawn();
    });
  }
}

/** Resolves when the process has ended and its sockets are closed. */
export const untilDead = (processId: number): Promise<boolean> =>
  waitFor(() => !isAlive(processId), { ...PATIENCE, intervalMs: 1, describe: `process ${processId} to end` });
