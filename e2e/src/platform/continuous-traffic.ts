import { waitFor } from '@postern/testing';
import { EventReader, LongRequests, SocketClient } from './open-connections.js';
import { type Failure, type SteadyRate, underSteadyRequests } from './steady-requests.js';

export interface TrafficOptions extends SteadyRate {
  /** How long the web service drains connections. */
  readonly drainMs: number;
  readonly longRequestMs: number;
}

/** The counts of all clients. */
export interface TrafficFigures {
  readonly requests: number;
  /** Only requests that the web service answers immediately. */
  readonly p99Ms: number;
  readonly longRequests: number;
  readonly streams: number;
  readonly events: number;
  readonly sockets: number;
  readonly messages: number;
  readonly failures: readonly Failure[];
}

const CONNECTIONS_AT_ONCE = 3;
const DRAINED_WITHIN_MS = 30_000;
/** A client that waits for a CPU notices the end late, and not all connections end at the same moment. */
const TOLERANCE_MS = 3_000;

/** Clients of a `streamingApp`: long requests, server-sent events and WebSockets, in addition to steady short requests. */
export class ContinuousTraffic {
  readonly #streams: EventReader[] = [];
  readonly #sockets: SocketClient[] = [];
  readonly #long: LongRequests;
  readonly #ends: Promise<void>[] = [];
  #begunAt = performance.now();

  constructor(
    private readonly url: string,
    private readonly options: TrafficOptions,
  ) {
    this.#long = new LongRequests(url, options.longRequestMs);
  }

  /** Opens more streams and sockets, which are routed to the instances with the fewest connections. */
  connectMore(): void {
    for (let number = 0; number < CONNECTIONS_AT_ONCE; number += 1) {
      const [stream, socket] = [
        new EventReader(this.url, () => this.#isDrained()),
        new SocketClient(this.url, () => this.#isDrained()),
      ];
      this.#streams.push(stream);
      this.#sockets.push(socket);
      this.#ends.push(stream.run(), socket.run());
    }
  }

  /** To be called before an operation: it may cut connections only after their drain. */
  begin(): void {
    this.#begunAt = performance.now();
  }

  #isDrained(lateMs = -TOLERANCE_MS): boolean {
    return performance.now() - this.#begunAt > this.options.drainMs + lateMs;
  }

  /** Resolves when the change has cut connections, and the drain of those to ending instances is over. */
  async untilDrained(change: () => Promise<unknown>): Promise<void> {
    const before = this.#opened;
    await change();
    const isDrained = () => this.#opened > before && this.#isDrained(TOLERANCE_MS);
    await waitFor(() => this.#failures.length > 0 || isDrained(), {
      timeoutMs: this.options.drainMs + DRAINED_WITHIN_MS,
      intervalMs: 50,
      describe: 'the end of connections to instances that end',
    });
  }

  async during(operations: () => Promise<unknown>): Promise<TrafficFigures> {
    this.connectMore();
    this.#ends.push(this.#long.run());
    const explained = (error: Error) => {
      throw new Error([error.message, ...this.#failures].join('\n'), { cause: error });
    };
    const steady = await underSteadyRequests(this.url, () => operations().catch(explained), this.options).finally(() =>
      this.#stop(),
    );
    return {
      requests: steady.count,
      p99Ms: percentile(steady.milliseconds, 0.99),
      longRequests: this.#long.count,
      streams: this.#streams.reduce((sum, { connections }) => sum + connections, 0),
      events: this.#streams.reduce((sum, { messages }) => sum + messages, 0),
      sockets: this.#sockets.reduce((sum, { connections }) => sum + connections, 0),
      messages: this.#sockets.reduce((sum, { messages }) => sum + messages, 0),
      failures: [...steady.failures, ...this.#failures],
    };
  }

  get #failures(): readonly Failure[] {
    return [this.#long, ...this.#connections].flatMap(({ failures }) => failures);
  }

  get #connections(): readonly (EventReader | SocketClient)[] {
    return [...this.#streams, ...this.#sockets];
  }

  get #opened(): number {
    return this.#connections.reduce((sum, { connections }) => sum + connections, 0);
  }

  async #stop(): Promise<void> {
    for (const client of [this.#long, ...this.#connections]) client.stop();
    await Promise.all(this.#ends);
  }
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
