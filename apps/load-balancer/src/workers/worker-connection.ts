import { connect, type Socket } from 'node:net';
import { addressOf } from '@postern/load-balancer-client';
import type { ServedRoute, Worker, WorkerReport } from './ports.js';
import {
  type Introduction,
  type OrderMessage,
  type OrderName,
  onLines,
  sendLine,
  type WorkerMessage,
} from './worker-protocol.js';

const TICK_MS = 1_000;
/** Counts ticks, not milliseconds: while the main process itself is paused, no tick passes. */
const PATIENCE_TICKS = 10;

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  ticksLeft: number;
}

/** The process of the worker has ended. */
export class WorkerExited extends Error {
  override readonly name = 'WorkerExited';
}

/** A worker in another process. A worker that does not respond in time is killed. */
export class WorkerConnection implements Worker {
  readonly #pending = new Map<number, Pending>();
  readonly #ports: Map<string, number>;
  #sharedPort: number | undefined;
  #orders = 0;
  readonly #ticking: NodeJS.Timeout;
  readonly exited: Promise<void>;

  private constructor(
    readonly processId: number,
    readonly introduction: Introduction,
    private readonly socket: Socket,
    private readonly longestStopMs: number,
    private readonly onLast: (report: WorkerReport) => void,
  ) {
    this.#ports = new Map(Object.entries(introduction.ports));
    this.#sharedPort = introduction.sharedPort ?? undefined;
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
    this.exited = new Promise(resolve =>
      socket.once('close', () => {
        clearInterval(this.#ticking);
        for (const { reject } of this.#pending.values()) reject(new WorkerExited('the worker has ended'));
        this.#pending.clear();
        resolve();
      }),
    );
  }

  /** Undefined if no running worker listens at the path. */
  static connect(
    path: string,
    processId: number,
    longestStopMs: number,
    onLast: (report: WorkerReport) => void,
  ): Promise<WorkerConnection | undefined> {
    return new Promise(resolve => {
      const socket = connect({ path: addressOf(path) });
      let connection: WorkerConnection | undefined;
      const hung = setTimeout(() => kill(processId), PATIENCE_TICKS * TICK_MS);
      socket.once('close', () => {
        clearTimeout(hung);
        resolve(undefined);
      });
      onLines(socket, (message: WorkerMessage) => {
        if ('introduction' in message) {
          clearTimeout(hung);
          connection = new WorkerConnection(processId, message.introduction, socket, longestStopMs, onLast);
          resolve(connection);
        } else if (connection) connection.#take(message);
      });
    });
  }

  get ports(): ReadonlyMap<string, number> {
    return this.#ports;
  }

  get sharedPort(): number | undefined {
    return this.#sharedPort;
  }

  async serve(route: ServedRoute): Promise<void> {
    await this.#order('serve', [route]);
    this.#ports.set(route.id, route.port);
  }

  async withdraw(serviceId: string): Promise<void> {
    this.#ports.delete(serviceId);
    await this.#order('withdraw', [serviceId]);
  }

  routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    return this.#order('routeHosts', [services]);
  }

  async openShared(port: number): Promise<number> {
    this.#sharedPort = await this.#order<'openShared', number>('openShared', [port]);
    return this.#sharedPort;
  }

  drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    return this.#order('drain', [serviceId, backendIds, timeoutMs], timeoutMs);
  }

  report(): Promise<WorkerReport> {
    return this.#order('report', []);
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<WorkerReport> {
    const report = await this.#order<'stop', WorkerReport>('stop', [], this.longestStopMs);
    await this.exited;
    return report;
  }

  kill(): void {
    kill(this.processId);
  }

  #order<Name extends OrderName, Result>(
    order: Name,
    parameters: OrderMessage<Name>['parameters'],
    takesMs = 0,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new WorkerExited('the worker has ended'));
      this.#orders += 1;
      const ticksLeft = PATIENCE_TICKS + Math.ceil(takesMs / TICK_MS);
      this.#pending.set(this.#orders, { resolve, reject, ticksLeft });
      sendLine(this.socket, { id: this.#orders, order, parameters });
    });
  }

  #take(message: WorkerMessage): void {
    if ('last' in message) this.onLast(message.last);
    if (!('id' in message)) return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('failure' in message)
      pending?.reject(Object.assign(new Error(message.failure.message), { code: message.failure.code }));
    else pending?.resolve(message.result as never);
  }

  #tick(): void {
    for (const pending of this.#pending.values()) {
      pending.ticksLeft -= 1;
      if (pending.ticksLeft === 0) this.kill();
    }
  }
}

const kill = (processId: number): void => {
  try {
    process.kill(processId, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
};
