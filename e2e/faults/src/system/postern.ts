import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DashboardClient } from '@postern/local-start';
import type { ServiceWithDatabase } from '@postern/testing';
import { processesWith, signal } from './process-table.js';
import type { Order, Started, StarterMessage } from './starter-messages.js';
import type { Ports, ProcessName } from './starter-options.js';

const STARTER = fileURLToPath(new URL('./starter.js', import.meta.url));
const STARTS_WITHIN_MS = 240_000;
const STOPS_WITHIN_MS = 60_000;
const DATABASE_ORDER_MS = 120_000;

/** An order without its number; distributes over the union of kinds. */
type OrderOf<O> = O extends Order ? Omit<O, 'order'> : never;

/** The Postern under test, run by a starter process that can be killed and restarted on the same home. */
export class Postern {
  started: Started | undefined;
  private starter: ChildProcess | undefined;
  private known: Readonly<Record<string, number>> = {};
  private orders = 0;
  private readonly answers = new Map<number, (result: Readonly<Record<string, number>>) => void>();
  private readonly dns = new Map<string, string>();

  constructor(
    readonly folder: string,
    readonly ports: Ports,
    private readonly options: object,
  ) {}

  /** Whether each service has a PostgreSQL of its own, on TCP. */
  get hasClusters(): boolean {
    return Object.keys(this.started?.databasePorts ?? {}).length > 0;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.ports.gateway}`;
  }

  /** @throws Error with the reason of the starter if it fails. */
  async start(): Promise<void> {
    const starter = fork(STARTER, [JSON.stringify(this.options)], {
      env: { ...process.env, POSTERN_FAULTS_RUN: this.folder },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.starter = starter;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const deadline = setTimeout(() => reject(new Error('Postern did not start in time')), STARTS_WITHIN_MS);
    starter.on('message', (message: StarterMessage) => {
      if (message.kind === 'started') {
        this.started = message.started;
        resolve();
      } else if (message.kind === 'failed') reject(new Error(message.reason));
      else this.answers.get(message.order)?.(message.result);
    });
    starter.on('exit', (code, by) => reject(new Error(`the starter ended with ${by ?? code}`)));
    try {
      await promise;
    } finally {
      clearTimeout(deadline);
    }
    for (const [name, value] of this.dns) await this.order({ kind: 'dns', name, value });
    await this.refresh();
  }

  /** The ids of the processes that run now, by name. */
  async refresh(): Promise<Readonly<Record<string, number>>> {
    this.known = await this.order({ kind: 'processes' });
    return this.known;
  }

  async pidOf(name: ProcessName): Promise<number | undefined> {
    return (await this.refresh())[name];
  }

  /** The processes of a part: for PostgreSQL, every postmaster. */
  async pidsOf(name: ProcessName): Promise<readonly number[]> {
    const processes = Object.entries(await this.refresh());
    return processes.filter(([known]) => known === name || known.startsWith(`${name} `)).map(([, pid]) => pid);
  }

  get processes(): Readonly<Record<string, number>> {
    return this.known;
  }

  /** Publishes a DNS record, and publishes it again after a restart of the starter. */
  async setText(name: string, value: string): Promise<void> {
    this.dns.set(name, value);
    await this.order({ kind: 'dns', name, value });
  }

  /** Makes a physical backup of the database of each service, one after the other. */
  async backUp(services: readonly ServiceWithDatabase[]): Promise<void> {
    await this.order({ kind: 'backup', services }, DATABASE_ORDER_MS);
  }

  /** Restores the last backup of each, while NATS and the other services run. */
  async restore(services: readonly ServiceWithDatabase[]): Promise<void> {
    await this.order({ kind: 'restore', services }, DATABASE_ORDER_MS);
  }

  async dashboard(): Promise<DashboardClient> {
    const client = new DashboardClient(this.baseUrl);
    const { email, password } = this.started?.operator ?? { email: '', password: '' };
    await client.login(email, password);
    return client;
  }

  /** kill -9 of the starter only. */
  async killStarter(): Promise<void> {
    await this.endStarter('SIGKILL');
  }

  /** Processes of this run other than the starter. */
  survivors(): readonly number[] {
    return processesWith(this.folder).filter(pid => pid !== this.starter?.pid);
  }

  async stop(): Promise<void> {
    const starter = this.starter;
    if (!starter || starter.exitCode !== null || starter.signalCode !== null) return;
    // A process that a fault paused cannot stop gracefully.
    for (const pid of processesWith(this.folder)) signal(pid, 'SIGCONT');
    void this.order({ kind: 'stop' });
    const hard = setTimeout(() => starter.kill('SIGKILL'), STOPS_WITHIN_MS);
    if (starter.exitCode === null && starter.signalCode === null) await once(starter, 'exit');
    clearTimeout(hard);
  }

  private async endStarter(by: NodeJS.Signals): Promise<void> {
    const starter = this.starter;
    if (!starter || starter.exitCode !== null || starter.signalCode !== null) return;
    starter.kill(by);
    await once(starter, 'exit');
  }

  private order(order: OrderOf<Order>, withinMs = 10_000): Promise<Readonly<Record<string, number>>> {
    const number = ++this.orders;
    const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, number>>>();
    const giveUp = setTimeout(() => resolve(this.known), withinMs);
    this.answers.set(number, resolve);
    if (this.starter?.connected) this.starter.send({ ...order, order: number }, () => undefined);
    return promise.finally(() => {
      clearTimeout(giveUp);
      this.answers.delete(number);
    });
  }
}
