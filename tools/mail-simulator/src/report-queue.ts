import { createTransport } from 'nodemailer';

/** Where reports go. */
export interface BounceRelay {
  host: string;
  port: number;
}

export interface ReportQueueOptions {
  relay: BounceRelay;
  /** Reports waiting at most; beyond that new ones are dropped and counted. */
  capacity: number;
  /** The first pause after a failure; each further one is twice as long, up to 30 seconds. */
  firstRetryMs: number;
  /** A report that could not be handed over for so long is dropped and counted. */
  giveUpAfterMs: number;
}

interface Entry {
  to: string;
  compose: () => Buffer;
  dueAt: number;
  tries: number;
}

/**
 * Hands reports over to the bounce relay with the null sender (RFC 3464 §2). It tries again while the relay is away.
 * The queue is in memory only: what waits is lost with the process, which a simulator may do and a relay may not.
 */
export class ReportQueue {
  readonly counters = { sent: 0, dropped: 0, waiting: 0 };
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly transport;
  private stopped = false;

  constructor(private readonly options: ReportQueueOptions) {
    this.transport = createTransport({
      ...options.relay,
      pool: true,
      maxConnections: 4,
      maxMessages: Infinity,
      secure: false,
      ignoreTLS: true,
      connectionTimeout: 5_000,
      greetingTimeout: 5_000,
      socketTimeout: 30_000,
    });
    // Failures reach the caller of sendMail; a pool also emits them when an idle connection breaks.
    this.transport.on('error', () => undefined);
  }

  /** Queues a report that is due after a while; it is composed only then. */
  add(to: string, afterMs: number, compose: () => Buffer): void {
    if (this.counters.waiting >= this.options.capacity) {
      this.counters.dropped += 1;
      return;
    }
    this.counters.waiting += 1;
    this.schedule({ to, compose, dueAt: Date.now() + afterMs, tries: 0 }, afterMs);
  }

  /** Drops what waits and closes all connections. */
  stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.transport.close();
  }

  private schedule(entry: Entry, afterMs: number): void {
    if (this.stopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.send(entry);
    }, afterMs);
    this.timers.add(timer);
  }

  private async send(entry: Entry): Promise<void> {
    const raw = entry.compose();
    try {
      await this.transport.sendMail({ envelope: { from: '', to: [entry.to] }, raw });
      this.counters.sent += 1;
      this.counters.waiting -= 1;
    } catch (error) {
      const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
      const isFinal = code >= 500 || Date.now() - entry.dueAt > this.options.giveUpAfterMs;
      if (isFinal || this.stopped) {
        this.counters.dropped += 1;
        this.counters.waiting -= 1;
        return;
      }
      const pause = Math.min(30_000, this.options.firstRetryMs * 2 ** entry.tries);
      this.schedule({ ...entry, tries: entry.tries + 1 }, pause);
    }
  }
}
