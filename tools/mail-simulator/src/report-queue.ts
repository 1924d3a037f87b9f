import { createTransport } from 'nodemailer';

/** The SMTP server that receives reports. */
export interface BounceRelay {
  host: string;
  port: number;
}

export interface ReportQueueOptions {
  relay: BounceRelay;
  /** Maximum number of waiting reports; further ones are dropped and counted. */
  capacity: number;
  /** Delay before the first retry; doubles with each retry up to 30 seconds. */
  firstRetryMs: number;
  /** A report that could not be sent for this long is dropped and counted. */
  giveUpAfterMs: number;
}

interface Entry {
  to: string;
  compose: () => Buffer;
  dueAt: number;
  attempts: number;
}

/**
 * Sends reports to the bounce relay with the null sender (RFC 3464 §2) and retries while the relay is down. The queue is
 * in memory: waiting reports are lost when the process ends.
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
    // sendMail throws failures; the pool also emits them when an idle connection breaks.
    this.transport.on('error', () => undefined);
  }

  /** Queues a report and composes it when it is due. */
  add(to: string, afterMs: number, compose: () => Buffer): void {
    if (this.counters.waiting >= this.options.capacity) {
      this.counters.dropped += 1;
      return;
    }
    this.counters.waiting += 1;
    this.schedule({ to, compose, dueAt: Date.now() + afterMs, attempts: 0 }, afterMs);
  }

  /** Drops waiting reports and closes all connections. */
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
      const pause = Math.min(30_000, this.options.firstRetryMs * 2 ** entry.attempts);
      this.schedule({ ...entry, attempts: entry.attempts + 1 }, pause);
    }
  }
}
