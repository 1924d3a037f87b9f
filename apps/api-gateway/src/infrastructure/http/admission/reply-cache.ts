import { ServiceUnavailable } from '@postern/messaging';

export interface ReplyCacheOptions {
  /** The subject of the requests, for the error if too many of them are pending. */
  readonly subject: string;
  readonly keptMs: number;
  readonly maxEntries: number;
  /** Maximum number of pending requests. */
  readonly maxPending: number;
}

interface Entry<Reply> {
  readonly reply: Promise<Reply>;
  /** Undefined while the request is pending. */
  keptUntil?: number;
}

/**
 * Caches replies for a short time, including negative ones. Of concurrent calls with one key, only the first sends a
 * request.
 */
export class ReplyCache<Reply> {
  readonly #entries = new Map<string, Entry<Reply>>();
  #pending = 0;

  /** @param now a monotonic clock, in milliseconds. */
  constructor(
    private readonly options: ReplyCacheOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Returns the reply for `key`; errors are not cached. @throws ServiceUnavailable if too many requests are pending.
   */
  get(key: string, load: () => Promise<Reply>): Promise<Reply> {
    const known = this.#entries.get(key);
    if (known && (known.keptUntil === undefined || this.now() < known.keptUntil)) return known.reply;
    const { subject, maxPending, keptMs } = this.options;
    if (this.#pending >= maxPending) {
      return Promise.reject(new ServiceUnavailable(subject, 'busy', false, 1));
    }
    const entry: Entry<Reply> = { reply: load() };
    this.#pending += 1;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.reply.then(
      () => {
        this.#pending -= 1;
        entry.keptUntil = this.now() + keptMs;
      },
      () => {
        this.#pending -= 1;
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    if (this.#entries.size > this.options.maxEntries) this.#forgetOldest();
    return entry.reply;
  }

  #forgetOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
