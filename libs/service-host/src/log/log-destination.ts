import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

const MAX_BYTES = 16 * 1024 * 1024;
const RETRY_MS = 20;
/** Lines within this time after a write are collected until it ends, because each write is a system call. */
const COLLECT_MS = 50;

/**
 * Writes lines to a file descriptor without blocking or throwing; lost lines are counted and reported. Writes are
 * synchronous on a non-blocking pipe, because a write on a thread would prevent the process from exiting.
 */
export class LogDestination {
  #lines: string[] = [];
  #bytes = 0;
  /** The rest of lines that were written only in part. */
  #rest: Buffer | undefined;
  #lost = 0;
  #scheduled = false;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #pipe: Socket | undefined;
  #opened = false;

  constructor(
    private readonly fd: number,
    private readonly lossLine: (lines: number) => string,
  ) {}

  /** Writes one line, including its line break. */
  write(line: string): void {
    if (this.#bytes + line.length > MAX_BYTES) {
      this.#lost += 1;
      return;
    }
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#scheduled) return;
    this.#scheduled = true;
    const waitMs = this.#writtenAt + COLLECT_MS - performance.now();
    if (waitMs > 0) setTimeout(() => this.#writeOut(), waitMs);
    else setImmediate(() => this.#writeOut());
  }

  /**
   * Writes waiting lines for up to `limitMs`.
   * @returns whether all were written.
   */
  flush(limitMs: number): boolean {
    const deadline = performance.now() + limitMs;
    while (!this.#drain()) {
      if (performance.now() >= deadline) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
    return true;
  }

  #writeOut(): void {
    this.#scheduled = false;
    this.#writtenAt = performance.now();
    if (this.#drain()) return;
    this.#scheduled = true;
    setTimeout(() => this.#writeOut(), RETRY_MS).unref();
  }

  /** False if the reader accepts no more data at the moment. */
  #drain(): boolean {
    this.#open();
    for (;;) {
      const next = this.#rest ?? this.#next();
      if (!next) return true;
      try {
        const written = writeSync(this.fd, next);
        this.#rest = written < next.length ? next.subarray(written) : undefined;
      } catch (error) {
        this.#rest = isBusy(error) ? next : undefined;
        if (this.#rest) return false;
        // The reader has closed the pipe (EPIPE, EIO) or the disk is full: these lines are lost, later ones are
        // attempted.
        this.#lost += count(next);
      }
    }
  }

  #next(): Buffer | undefined {
    if (this.#lines.length === 0) return undefined;
    const loss = this.#lost > 0 ? `${this.lossLine(this.#lost)}\n` : '';
    const next = Buffer.from(loss + this.#lines.join(''));
    this.#lost = 0;
    this.#lines = [];
    this.#bytes = 0;
    return next;
  }

  /** A socket object makes the pipe non-blocking; it writes nothing. */
  #open(): void {
    if (this.#opened) return;
    this.#opened = true;
    try {
      const stats = fstatSync(this.fd);
      if (!stats.isFIFO() && !stats.isSocket()) return;
      this.#pipe = new Socket({ fd: this.fd, readable: false, writable: true });
      this.#pipe.on('error', () => undefined).unref();
    } catch {
      // A closed descriptor: every write fails.
    }
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EAGAIN', 'EBUSY', 'EINTR'].includes(String(error.code));

const count = (lines: Buffer): number => lines.toString('latin1').split('\n').length - 1;
