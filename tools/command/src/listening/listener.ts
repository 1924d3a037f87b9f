import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from '@postern/messaging/backoff';
import { ApiError, ConnectionError, NotFoundError } from '@postern/sdk';
import type { DashboardApi } from '../dashboard-api.js';

const WAIT_S = 10;
/** Lower bound between reads: a server with too many waiting reads responds immediately. */
const MIN_INTERVAL_MS = 500;

interface ListenerEvent {
  readonly number: number;
  readonly body: string;
}

/** Reads the events of an email service over a connection from this machine, until it is interrupted. */
export class Listener {
  #after = 0;
  readonly #backoff = Backoff.exponential({ firstMs: 1_000, maxMs: 30_000 });

  private constructor(
    private readonly api: DashboardApi,
    private readonly listeners: string,
    private readonly signal: AbortSignal,
    private readonly note: (message: string) => void,
    private id: string,
  ) {}

  /** @param listeners the path of the listeners of the email service in the API */
  static async start(
    api: DashboardApi,
    listeners: string,
    signal: AbortSignal,
    note: (message: string) => void,
  ): Promise<Listener> {
    return new Listener(api, listeners, signal, note, await created(api, listeners));
  }

  /** Event bodies in order. The next read acknowledges a batch, after it was forwarded. */
  async *batches(): AsyncGenerator<readonly string[], void, undefined> {
    while (!this.signal.aborted) {
      const startedAt = Date.now();
      const events = await this.#read();
      if (events.length > 0) {
        yield events.map(({ body }) => body);
        this.#acknowledge(events);
      } else await this.#pause(MIN_INTERVAL_MS - (Date.now() - startedAt));
    }
  }

  /** Deletes the listener; if that fails, it expires. */
  async stop(): Promise<void> {
    await this.api.delete(`${this.listeners}/${this.id}`).catch(() => undefined);
  }

  #acknowledge(events: readonly ListenerEvent[]): void {
    const last = events.at(-1)?.number ?? this.#after;
    const missing = last - this.#after - events.length;
    if (missing > 0) this.note(`${missing} events were left out, because more than 1000 were waiting.`);
    this.#after = last;
  }

  /** Returns no events if the connection failed; the next call retries. */
  async #read(): Promise<readonly ListenerEvent[]> {
    const path = `${this.listeners}/${this.id}/events`;
    const query = { after: this.#after, wait_s: WAIT_S };
    try {
      const { events } = await this.api.get<{ events: ListenerEvent[] }>(path, { query, signal: this.signal });
      this.#backoff.reset();
      return events;
    } catch (error) {
      if (this.signal.aborted) return [];
      if (error instanceof NotFoundError && error.code === 'listener_not_found') return this.#startAgain();
      if (!isTemporary(error)) throw error;
      const pauseMs = this.#backoff.next();
      this.note(`${(error as Error).message} Trying again in ${pauseMs / 1_000} s.`);
      await this.#pause(pauseMs);
      return [];
    }
  }

  async #startAgain(): Promise<readonly ListenerEvent[]> {
    this.id = await created(this.api, this.listeners);
    this.#after = 0;
    this.note('The connection was lost for more than five minutes. Events of that time were left out.');
    return [];
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await delay(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }
}

const created = async (api: DashboardApi, listeners: string): Promise<string> =>
  (await api.post<{ id: string }>(listeners)).id;

const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500));
