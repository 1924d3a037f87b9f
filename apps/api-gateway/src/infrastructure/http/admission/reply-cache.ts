import { ServiceUnavailable } from '../../../service-client/ports.js';

export interface ReplyCacheOptions {
  /** The service that is asked, for the error when too many wait for it. */
  readonly service: string;
  readonly keptMs: number;
  readonly maxEntries: number;
  /** How many may wait for a reply at once. */
  readonly maxPending: number;
}

interface Entry<Reply> {
  readonly reply: Promise<Reply>;
  /** Undefined until there is a reply. */
  keptUntil?: number;
}

/** Keeps replies for a short time, those that say no as well. Of concurrent requests for one key, only the first is sent. */
export class ReplyCache<Reply> {
  private readonly entries = new Map<string, Entry<Reply>>();
  private pending = 0;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(
    private readonly options: ReplyCacheOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The reply to `key`; an error is not kept. @throws ServiceUnavailable if too many wait already. */
  get(key: string, ask: () => Promise<Reply>): Promise<Reply> {
    const known = this.entries.get(key);
    if (known && (known.keptUntil === undefined || this.now() < known.keptUntil)) return known.reply;
    const { service, maxPending, keptMs } = this.options;
    if (this.pending >= maxPending) {
      return Promise.reject(new ServiceUnavailable(service, { maybeExecuted: false, retryAfterS: 1 }));
    }
    const entry: Entry<Reply> = { reply: ask() };
    this.pending += 1;
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.reply.then(
      () => {
        this.pending -= 1;
        entry.keptUntil = this.now() + keptMs;
      },
      () => {
        this.pending -= 1;
        if (this.entries.get(key) === entry) this.entries.delete(key);
      },
    );
    if (this.entries.size > this.options.maxEntries) this.forgetOldest();
    return entry.reply;
  }

  private forgetOldest(): void {
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
