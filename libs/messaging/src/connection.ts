import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { BehaviorSubject, type Observable } from 'rxjs';
import { runDetached } from './guard.js';
import { type Log, silentLog } from './log.js';

export type LinkStatus = 'connected' | 'disconnected' | 'closed';

export interface NatsOptions {
  readonly servers: string | readonly string[];
  /** Shown in the server's connection list. */
  readonly name: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  readonly tls?: NodeConnectionOptions['tls'] | undefined;
  /** Refuse a server that takes smaller messages; 16 MiB carries the largest email. */
  readonly neededPayloadBytes?: number | undefined;
  readonly log?: Log | undefined;
}

/** One connection for everything a process says over NATS. It reconnects for ever, and says how it stands. */
export class NatsLink {
  readonly #status = new BehaviorSubject<LinkStatus>('connected');
  /** Counts reconnections, so that consumers notice one that came and went between two looks. */
  #reconnections = 0;

  constructor(
    readonly nc: NatsConnection,
    readonly log: Log = silentLog,
  ) {
    runDetached(log, 'connection status', () => this.#watch());
    runDetached(log, 'connection status', async () => {
      await nc.closed();
      this.#status.next('closed');
      this.#status.complete();
    });
  }

  get status(): Observable<LinkStatus> {
    return this.#status.asObservable();
  }

  get connected(): boolean {
    return this.#status.value === 'connected';
  }

  get closed(): boolean {
    return this.#status.value === 'closed';
  }

  get reconnections(): number {
    return this.#reconnections;
  }

  get maxPayload(): number {
    return this.nc.info?.max_payload ?? 1_048_576;
  }

  /** Sends what is buffered, if the server is there to take it within a second, and closes. */
  async close(): Promise<void> {
    if (this.closed) return;
    if (this.connected) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, 1_000);
      await Promise.race([this.nc.flush().catch(() => {}), promise]);
      clearTimeout(timer);
    }
    await this.nc.close();
  }

  async #watch(): Promise<void> {
    const { log } = this;
    for await (const status of this.nc.status()) {
      if (status.type === 'disconnect') {
        this.#status.next('disconnected');
        log.warn({ server: status.server }, 'NATS disconnected');
      } else if (status.type === 'reconnect') {
        this.#reconnections += 1;
        this.#status.next('connected');
        log.info({ server: status.server }, 'NATS reconnected');
      } else if (status.type === 'error') {
        log.error({ err: status.error }, 'NATS refused something');
      }
    }
  }
}

/** Connects, waiting as long as it takes for a server to appear. Wrong credentials and unsuitable servers reject. */
export const connectNats = async (options: NatsOptions): Promise<NatsLink> => {
  const nc = await connect({
    servers: typeof options.servers === 'string' ? options.servers.split(',') : [...options.servers],
    name: options.name,
    // Capturing a stack for every request costs a third of the throughput.
    noAsyncTraces: true,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    // A server that hangs without closing its socket is given up after two of these.
    pingInterval: 10_000,
    ...(options.user ? { user: options.user, pass: options.password ?? '' } : {}),
    ...(options.token ? { token: options.token } : {}),
    ...(options.tls ? { tls: options.tls } : {}),
  });
  const needed = options.neededPayloadBytes ?? 0;
  const offered = nc.info?.max_payload ?? 0;
  if (offered < needed) {
    await nc.close();
    throw new Error(
      `NATS takes messages of ${offered} bytes and ${options.name} needs ${needed}: set max_payload: ${needed} in nats-server.conf`,
    );
  }
  return new NatsLink(nc, options.log ?? silentLog);
};
