import {
  AuthorizationError,
  ConnectionError,
  connect,
  createInbox,
  InvalidArgumentError,
  InvalidOperationError,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
  PermissionViolationError,
  type Status,
  type Subscription,
} from '@nats-io/transport-node';
import { BehaviorSubject, type Observable, Subject } from 'rxjs';
import { Backoff } from './backoff.js';
import { guarded, runDetached } from './guard.js';
import { type Log, silentLog } from './log.js';
import { RepeatedWarning } from './repeated-warning.js';
import { encryptionOf, type ServerIdentity } from './server-identity.js';

export type LinkStatus = 'connected' | 'disconnected' | 'closed';

export interface NatsOptions {
  readonly servers: string | readonly string[];
  /** Name in the server's list of connections. */
  readonly name: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** The subject prefix of replies to this process (`_INBOX`); its user may subscribe to nothing else below `_INBOX`. */
  readonly inboxPrefix?: string | undefined;
  /** TLS is also required if a URL begins with `tls://`, and before a password or token is sent. */
  readonly tls?: NodeConnectionOptions['tls'] | undefined;
  /** Sends the password or token without TLS, to whatever server has the address. */
  readonly clearText?: boolean | undefined;
  /** Refuse a server with a smaller `max_payload`; 52 MiB carries the largest email. */
  readonly neededPayloadBytes?: number | undefined;
  /** Interval of pings; after two unanswered ones the connection is closed (10 s). */
  readonly pingIntervalMs?: number | undefined;
  readonly log?: Log | undefined;
}

/**
 * The connection of a process to NATS. It reconnects for as long as the process lives; `lost` resolves when the
 * connection cannot recover, and then the process must end.
 */
export class NatsLink {
  readonly #status = new BehaviorSubject<LinkStatus>('connected');
  readonly #lost = Promise.withResolvers<Error>();
  readonly #warnings: RepeatedWarning;
  readonly #forbidden = new Subject<string>();
  /** Counts reconnections, so that consumers notice one between two checks. */
  #reconnections = 0;
  #closing = false;

  constructor(
    readonly nc: NatsConnection,
    readonly log: Log = silentLog,
    private readonly inboxPrefix = '_INBOX',
    /** The verified certificate of the server; undefined without TLS. */
    readonly identity?: ServerIdentity,
  ) {
    this.#warnings = new RepeatedWarning(log);
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

  /** Resolves when the connection cannot recover and was not closed by this process. */
  get lost(): Promise<Error> {
    return this.#lost.promise;
  }

  /** Subjects of messages that NATS did not permit this process to publish. */
  get forbidden(): Observable<string> {
    return this.#forbidden.asObservable();
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

  /** A unique subject below the inboxes of this process. */
  newInbox(...tokens: readonly string[]): string {
    return createInbox([this.inboxPrefix, ...tokens].join('.'));
  }

  /**
   * Calls `take` with each message; its exceptions are caught. If the server refuses the subscription, the link is
   * lost.
   */
  subscribe(subject: string, take: (message: Msg) => void, options: { queue?: string; where?: string } = {}) {
    const { queue, where = subject } = options;
    const callback = guarded(this.log, where, (error: Error | null, message: Msg) => {
      if (error) this.fail(new Error(`NATS ended the subscription of ${where}`, { cause: error }));
      else take(message);
    });
    return this.nc.subscribe(subject, queue ? { queue, callback } : { callback }) satisfies Subscription;
  }

  /** Rejects when the server does not respond to a ping in time. Only this proves that the connection works. */
  async roundTrip(limitMs: number): Promise<void> {
    if (!this.connected) throw new Error(this.#status.value);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no reply within ${limitMs} ms`)), limitMs);
    const answer = this.nc.flush();
    // The loser of the race may still reject.
    answer.catch(() => {});
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  /** Marks the link as lost, unless it is being closed. */
  fail(reason: Error): void {
    if (!this.#closing) this.#lost.resolve(reason);
  }

  /** Sends buffered messages if the server accepts them within a second, and closes. */
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
      this.#onError(status.error);
    }
  }
  #onError(error: Error): void {
    this.#warnings.warn(error.message, { err: error }, 'NATS reported an error');
    if (error instanceof PermissionViolationError && error.operation === 'publish') this.#forbidden.next(error.subject);
  }
}

/** Connects, and waits until a server is reachable. Rejects for wrong credentials and unsuitable servers. */
export const connectNats = async (options: NatsOptions): Promise<NatsLink> => {
  const encryption = encryptionOf(options);
  const nc = await firstConnection(options, { ...connectionOptions(options), ...tlsChoice(options, encryption?.tls) });
  const needed = options.neededPayloadBytes ?? 0;
  const offered = nc.info?.max_payload ?? 0;
  if (offered < needed) {
    await nc.close();
    throw new Error(
      `NATS accepts messages of up to ${offered} bytes, but ${options.name} needs ${needed}: set max_payload: ${needed} in nats-server.conf`,
    );
  }
  return new NatsLink(nc, options.log ?? silentLog, options.inboxPrefix, encryption?.identity);
};

const connectionOptions = (options: NatsOptions): NodeConnectionOptions => ({
  servers: typeof options.servers === 'string' ? options.servers.split(',') : [...options.servers],
  name: options.name,
  // Capturing a stack trace for every request costs a third of the throughput.
  noAsyncTraces: true,
  maxReconnectAttempts: -1,
  // Otherwise two authentication time-outs close the connection permanently.
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 200,
  reconnectJitter: 300,
  timeout: 10_000,
  pingInterval: options.pingIntervalMs ?? 10_000,
  ...(options.user ? { user: options.user, pass: options.password ?? '' } : {}),
  ...(options.token ? { token: options.token } : {}),
  ...(options.inboxPrefix ? { inboxPrefix: options.inboxPrefix } : {}),
});

/** Without a choice, the client uses TLS if the server offers it; with clear text, it must not, because it could not verify the server. */
const tlsChoice = (
  { clearText }: NatsOptions,
  tls: NodeConnectionOptions['tls'],
): Pick<NodeConnectionOptions, 'tls'> => (tls ? { tls } : clearText ? { tls: null } : {});

/** The client's own retry logs nothing and retries a wrong password forever. */
const firstConnection = async (options: NatsOptions, connection: NodeConnectionOptions): Promise<NatsConnection> => {
  const backoff = Backoff.exponential({ firstMs: 200, maxMs: 2_000, jitter: true });
  for (;;) {
    try {
      return await connect(connection);
    } catch (error) {
      if (isFinal(error)) throw error;
      options.log?.warn({ err: error }, isWithoutTls(error) ? WITHOUT_TLS : 'Waiting for NATS');
      await backoff.pause();
    }
  }
};

const WITHOUT_TLS =
  'NATS offers no TLS, so the password is not sent to it: give it a certificate and set POSTERN_NATS_CA_FILE, or set POSTERN_NATS_CLEAR_TEXT=true if nobody else can use its network';

const isWithoutTls = (error: unknown): boolean =>
  error instanceof ConnectionError && error.message.includes("does not support 'tls'");

const isFinal = (error: unknown): boolean =>
  error instanceof InvalidArgumentError ||
  error instanceof InvalidOperationError ||
  error instanceof TypeError ||
  (error instanceof AuthorizationError && /violation/i.test(error.message));
