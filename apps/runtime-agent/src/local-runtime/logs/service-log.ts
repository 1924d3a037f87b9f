import type { LogLine } from '@postern/runtime';
import { LogBudget, type LogRate } from './log-budget.js';
import { SegmentAppender, type SegmentBounds } from './segment-appender.js';
import { encodeLine } from './stored-line.js';

export interface ServiceLogBounds extends SegmentBounds, LogRate {
  readonly batchMs: number;
  /** Maximum size of the lines that wait for the disk. Further lines are dropped. */
  readonly pendingBytes: number;
}

const LOSS_INTERVAL_MS = 1_000;

/** The log of one service in this process. All writers of the service share its budget and its segment. */
export class ServiceLog {
  readonly #appender: SegmentAppender;
  readonly #budget: LogBudget;
  #pending: string[] = [];
  #pendingBytes = 0;
  /** By instance, so that the reader of one command learns that its output is incomplete. */
  #dropped = new Map<string, number>();
  #unwritten = 0;
  #failure = { why: '', at: new Date(0) };
  #reportedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    folder: string,
    private readonly bounds: ServiceLogBounds,
  ) {
    this.#appender = new SegmentAppender(folder, bounds);
    this.#budget = new LogBudget(bounds, performance.now());
  }

  /** Never throws and never waits: lines beyond the limit are dropped and counted. */
  add(line: LogLine): void {
    const stored = encodeLine(line);
    const bytes = Buffer.byteLength(stored);
    const admitted = this.#budget.admits(bytes, performance.now());
    if (admitted && this.#pendingBytes + bytes <= this.bounds.pendingBytes) this.#enqueue(stored, bytes);
    else this.#drop(line.instance, 1);
    this.#flushWithin(this.bounds.batchMs);
  }

  /** Resolves when everything added before is on disk, or could not be written. */
  flush(): Promise<void> {
    return this.#next(() => this.#write(this.#floodIsDue()));
  }

  /** Flushes, reports all losses, and closes the file. The next line opens it again. */
  close(): Promise<void> {
    return this.#next(async () => {
      await this.#write(true);
      await this.#appender.close();
    });
  }

  #next(step: () => Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(step);
    return this.#writing;
  }

  #flushWithin(delayMs: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delayMs);
  }

  #enqueue(stored: string, bytes: number): void {
    this.#pending.push(stored);
    this.#pendingBytes += bytes;
  }

  /** Reports unwritten lines before the lines that follow, and dropped lines if `floodIsDue`. */
  async #write(floodIsDue: boolean): Promise<void> {
    const lines = this.#pending;
    const dropped = floodIsDue ? this.#dropped : new Map<string, number>();
    const unwritten = this.#unwritten;
    const batch = [...this.#lossLines(dropped, unwritten), ...lines];
    this.#pending = [];
    this.#pendingBytes = 0;
    if (batch.length === 0) return;
    if (floodIsDue) this.#dropped = new Map();
    this.#unwritten -= unwritten;
    try {
      await this.#appender.append(batch.join(''));
    } catch (error) {
      for (const [instance, lines] of dropped) this.#drop(instance, lines);
      this.#unwritten += unwritten + lines.length;
      this.#failure = { why: (error as NodeJS.ErrnoException).code ?? String(error), at: new Date() };
    }
    if (this.#dropped.size > 0) this.#flushWithin(LOSS_INTERVAL_MS);
  }

  /** Limits the reports of dropped lines to one per second, instead of one per batch. */
  #floodIsDue(): boolean {
    if (this.#dropped.size === 0 || performance.now() - this.#reportedAt < LOSS_INTERVAL_MS) return false;
    this.#reportedAt = performance.now();
    return true;
  }

  #drop(instance: string, lines: number): void {
    this.#dropped.set(instance, (this.#dropped.get(instance) ?? 0) + lines);
  }

  #lossLines(dropped: ReadonlyMap<string, number>, unwritten: number): string[] {
    const { linesPerSecond, bytesPerSecond } = this.bounds;
    const line = (message: string, timestamp: Date, instance = 'platform') =>
      encodeLine({ timestamp, instance, stream: 'platform', message });
    const lost = `${unwritten} log lines were lost: they could not be written (${this.#failure.why})`;
    const flooded = (count: number) =>
      `${count} log lines were dropped: they exceeded ${linesPerSecond} lines or ${bytesPerSecond} bytes per second, or the disk was too slow`;
    return [
      // With the time of the loss, because readers sort lines by time.
      ...(unwritten > 0 ? [line(lost, this.#failure.at)] : []),
      ...[...dropped].map(([instance, count]) => line(flooded(count), new Date(), instance)),
    ];
  }
}
