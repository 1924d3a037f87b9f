import { type ChildProcess, fork } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Backoff } from '@postern/messaging/backoff';
import { type BalancerLog, reasonOf } from '../infrastructure/balancer-log.js';
import type { BalancerSettings } from '../settings.js';
import { claimPort, isTaken } from './port-claim.js';
import type { ServedRoute, Worker, WorkerReport, Workers } from './ports.js';
import { WorkerConnection, WorkerExited } from './worker-connection.js';
import { kindOf, ROLES, type Role, workersFolder } from './worker-protocol.js';

const RESTART_DELAYS_MS = [0, 100, 200, 400, 800, 1_600, 3_200, 5_000] as const;
/** A worker that served at least this long is replaced without delay. */
const STEADY_AFTER_MS = 10_000;
/** Extra time for a worker to stop, beyond the time for its requests to end. */
const STOP_MARGIN_MS = 2_000;

/**
 * Two worker processes that listen on the same ports (SO_REUSEPORT), so that new connections reach the standby if the
 * active one is killed. A main process takes control of the workers that its predecessor left.
 */
export class WorkerProcesses implements Workers {
  readonly #living = new Set<WorkerConnection>();
  /** Workers of a predecessor with other settings; they stop once the new ones serve. */
  #outdated: WorkerConnection[] = [];
  readonly #children = new Set<ChildProcess>();
  #restore: (include: () => void) => Promise<void> = () => Promise.resolve();
  readonly #restarts = Backoff.schedule(RESTART_DELAYS_MS);
  #stopping = false;
  onLast: (report: WorkerReport) => void = () => undefined;

  constructor(
    private readonly settings: BalancerSettings,
    private readonly log: BalancerLog,
    private readonly entryPoint: string,
  ) {}

  async start(restore: (include: () => void) => Promise<void>): Promise<void> {
    this.#restore = restore;
    try {
      const found = await this.#findWorkers();
      const kind = kindOf(this.settings);
      const current = ROLES.map(role =>
        found.find(({ introduction }) => introduction.kind === kind && introduction.role === role),
      );
      this.#outdated = found.filter(worker => !current.includes(worker));
      const kept = current.filter(worker => worker !== undefined).map(({ processId }) => processId);
      if (kept.length > 0) this.log.info({ workers: kept }, 'Resuming workers that are already serving');
      const workers = await Promise.all(ROLES.map((role, index) => current[index] ?? this.#fork(role)));
      await restore(() => {
        for (const worker of workers) this.#include(worker);
      });
      for (const report of await settled(this.#outdated, worker => worker.stop())) this.onLast(report);
      this.#outdated = [];
    } catch (error) {
      // Workers of a predecessor keep serving until another main process takes control of them.
      this.#stopping = true;
      for (const child of this.#children) child.kill('SIGKILL');
      throw error;
    }
  }

  async serve(route: ServedRoute): Promise<boolean> {
    const isHeld = [...this.#living, ...this.#outdated].some(worker => worker.ports.get(route.id) === route.port);
    try {
      const claim = isHeld ? undefined : await claimPort(route.port, this.settings.host);
      try {
        await this.#all(worker => worker.serve(route));
      } finally {
        await claim?.release();
      }
      return true;
    } catch (error) {
      if (!isTaken(error)) throw error;
      await this.withdraw(route.id);
      return false;
    }
  }

  async withdraw(serviceId: string): Promise<void> {
    await this.#all(worker => worker.withdraw(serviceId));
  }

  async routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    await this.#all(worker => worker.routeHosts(services));
  }

  async openShared(port: number): Promise<number> {
    const held = [...this.#living, ...this.#outdated].map(({ sharedPort }) => sharedPort);
    const kept = held.find(found => found !== undefined && (port === 0 || port === found));
    if (kept !== undefined) {
      await this.#all(worker => worker.openShared(kept));
      return kept;
    }
    const claim = await claimPort(port, this.settings.host);
    try {
      await this.#all(worker => worker.openShared(claim.port));
      return claim.port;
    } finally {
      await claim.release();
    }
  }

  async drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    const aborted = await this.#all(worker => worker.drain(serviceId, backendIds, timeoutMs));
    return aborted.reduce((sum, each) => sum + each, 0);
  }

  reports(): Promise<readonly WorkerReport[]> {
    return this.#all(worker => worker.report());
  }

  stop(): Promise<readonly WorkerReport[]> {
    this.#stopping = true;
    const connected = new Set([...this.#living].map(({ processId }) => processId));
    for (const child of this.#children) if (!connected.has(child.pid ?? 0)) child.kill('SIGKILL');
    return this.#all(worker => worker.stop());
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#stopping = true;
    for (const child of this.#children) child.kill('SIGKILL');
    for (const worker of this.#living) worker.kill();
  }

  served(): readonly string[] {
    return [...new Set([...this.#living].flatMap(({ ports }) => [...ports.keys()]))];
  }

  processIds(): readonly number[] {
    const living = [...this.#living];
    const inOrder = ROLES.flatMap(role => living.filter(({ introduction }) => introduction.role === role));
    return inOrder.map(({ processId }) => processId);
  }

  /** A worker that is killed meanwhile is skipped; its replacement receives all routes. */
  #all<T>(order: (worker: Worker) => Promise<T>): Promise<T[]> {
    return settled([...this.#living], order);
  }

  #include(worker: WorkerConnection): void {
    this.#living.add(worker);
    const since = performance.now();
    void worker.exited.then(async () => {
      this.#living.delete(worker);
      if (this.#stopping) return;
      if (performance.now() - since > STEADY_AFTER_MS) this.#restarts.reset();
      this.log.warn({ workerPid: worker.processId }, 'A worker has ended; starting another one');
      await this.#replace(worker.introduction.role);
    });
  }

  async #replace(role: Role): Promise<void> {
    await this.#restarts.pause();
    if (this.#stopping) return;
    let worker: WorkerConnection | undefined;
    try {
      const next = await this.#fork(role);
      worker = next;
      await this.#restore(() => this.#include(next));
    } catch (error) {
      if (this.#stopping) return;
      this.log.error(reasonOf(error), 'A worker could not be started');
      // If the worker is included, its end starts the replacement.
      worker?.kill();
      if (!worker || !this.#living.has(worker)) await this.#replace(role);
    }
  }

  async #fork(role: Role): Promise<WorkerConnection> {
    const child = fork(this.entryPoint, ['worker', role, String(process.ppid)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`a worker ended with ${signal ?? code} before it served`)));
    });
    const worker = await this.#connect(child.pid as number);
    if (!worker) throw new Error('a worker ended before it served');
    return worker;
  }

  async #findWorkers(): Promise<WorkerConnection[]> {
    const folder = workersFolder(this.settings.platformHome);
    const names = await readdir(folder).catch(() => []);
    const found = await Promise.all(
      names.map(async name => {
        const worker = await this.#connect(Number.parseInt(name, 10));
        if (!worker) await rm(join(folder, name), { force: true });
        return worker ?? [];
      }),
    );
    return found.flat();
  }

  #connect(processId: number): Promise<WorkerConnection | undefined> {
    const path = join(workersFolder(this.settings.platformHome), `${processId}.sock`);
    const longestStopMs = this.settings.timeouts.shutdownMs + STOP_MARGIN_MS;
    return WorkerConnection.connect(path, processId, longestStopMs, report => this.onLast(report));
  }
}

const settled = async <T>(
  workers: readonly WorkerConnection[],
  order: (worker: WorkerConnection) => Promise<T>,
): Promise<T[]> => {
  const results = await Promise.all(
    workers.map(async worker => {
      try {
        return [await order(worker)];
      } catch (error) {
        if (error instanceof WorkerExited) return [];
        throw error;
      }
    }),
  );
  return results.flat();
};
