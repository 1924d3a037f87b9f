import { setTimeout as pause } from 'node:timers/promises';
import {
  AuthorizationError,
  connect,
  InvalidArgumentError,
  InvalidOperationError,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
  type Status,
  type Subscription,
} from '@nats-io/transport-node';
import { BehaviorSubject, type Observable } from 'rxjs';
import { guarded, runDetached } from './guard.js';
import { type Log, silentLog } from './log.js';
import { RepeatedWarning } from './repeated-warning.js';

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
  /** A server that leaves two pings unanswered is given up (10 s). */
  readonly pingIntervalMs?: number | undefined;
  readonly log?: Log | undefined;
}

/**
 * One connection for everything a process says over NATS. It reconnects for as long as the process lives; a link that
 * is lost for good nevertheless says so by `lost`, and its process has to end.
 */
export class NatsLink {
  readonly #status = new BehaviorSubject<LinkStatus>('connected');
  readonly #lost = Promise.withResolvers<Error>();
  readonly #refusals: RepeatedWarning;
  /** Counts reconnections, so that consumers notice one that came and went between two looks. */
  #reconnections = 0;
  #closing = false;

  constructor(
    readonly nc: NatsConnection,
    readonly log: Log = silentLog,
  ) {
    this.#refusals = new RepeatedWarning(log);
    runDetached(log, 'connection status', () => this.#watch());
    runDetached(log, 'connection status', async () => {
      const reason = await nc.closed();
      this.#status.next('closed');
      this.#status.complete();
      this.fail(new Error('the connection to NATS was closed', { cause: reason ?? undefined }));
    });
  }

  get status(): Observable<LinkStatus> {
    return this.#status.asObservable();
  }

  /** Resolves when the link cannot work any more though nobody closed it; only a new process helps. */
  get lost(): Promise<Error> {
    return this.#lost.promise;
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

  /** Hands messages to `take`, whose exceptions go no further. A subscription that the server refuses costs the link. */
  subscribe(subject: string, take: (message: Msg) => void, options: { queue?: string; where?: string } = {}) {
    const { queue, where = subject } = options;
    const callback = guarded(this.log, where, (error: Error | null, message: Msg) => {
      if (error) this.fail(new Error(`NATS ended the subscription of ${where}`, { cause: error }));
      else take(message);
    });
    return this.nc.subscribe(subject, queue ? { queue, callback } : { callback }) satisfies Subscription;
  }

  /** Rejects when the server does not answer a ping within the time: the only proof that the connection works. */
  async roundTrip(limitMs: number): Promise<void> {
    if (!this.connected) throw new Error(this.#status.value);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
    const answer = this.nc.flush();
    // Whichever loses the race may still reject, with nobody left to hear it.
    answer.catch(() => {});
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  /** Calls the link lost, unless it is being closed. */
  fail(reason: Error): void {
    if (!this.#closing) this.#lost.resolve(reason);
  }

  /** Sends what is buffered, if the server is there to take it within a second, and closes. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.closed) return;
    if (this.connected) await this.roundTrip(1_000).catch(() => {});
    await this.nc.close();
  }

  async #watch(): Promise<void> {
    const note = guarded(this.log, 'connection status', (status: Status) => this.#onStatus(status));
    for await (const status of this.nc.status()) note(status);
  }

  #onStatus(status: Status): void {
    if (status.type === 'disconnect') {
      this.#status.next('disconnected');
      this.log.warn({ server: status.server }, 'NATS disconnected');
    } else if (status.type === 'reconnect') {
      this.#reconnections += 1;
      this.#status.next('connected');
      this.log.info({ server: status.server }, 'NATS reconnected');
    } else if (status.type === 'error') {
      this.#refusals.warn(status.error.message, { err: status.error }, 'NATS refused something');
    }
  }
}

/** Connects, waiting as long as it takes for a server to appear. Wrong credentials and unsuitable servers reject. */
export const connectNats = async (options: NatsOptions): Promise<NatsLink> => {
  const nc = await firstConnection(options);
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

const connectionOptions = (options: NatsOptions): NodeConnectionOptions => ({
  servers: typeof options.servers === 'string' ? options.servers.split(',') : [...options.servers],
  name: options.name,
  // Capturing a stack for every request costs a third of the throughput.
  noAsyncTraces: true,
  maxReconnectAttempts: -1,
  // Two authentication time-outs in a process's life would otherwise close the connection for good.
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 200,
  reconnectJitter: 300,
  timeout: 10_000,
  pingInterval: options.pingIntervalMs ?? 10_000,
  ...(options.user ? { user: options.user, pass: options.password ?? '' } : {}),
  ...(options.token ? { token: options.token } : {}),
  ...(options.tls ? { tls: options.tls } : {}),
});

/** The client's own way of waiting says nothing meanwhile, and waits for ever with a wrong password. */
const firstConnection = async (options: NatsOptions): Promise<NatsConnection> => {
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await connect(connectionOptions(options));
    } catch (error) {
      if (isFinal(error)) throw error;
      options.log?.warn({ err: error, waitMs }, 'Waiting for NATS');
      await pause(waitMs * (0.5 + Math.random()));
    }
  }
};

const isFinal = (error: unknown): boolean =>
  error instanceof InvalidArgumentError ||
  error instanceof InvalidOperationError ||
  error instanceof TypeError ||
  (error instanceof AuthorizationError && /violation/i.test(error.message));
