import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Terminal, TerminalOutput, TerminalSize } from '@postern/runtime';
import { type OpenedTerminal, openTerminal } from './terminal-program.js';

/** The programs wait while so much output is not read. */
const BUFFERED_BYTES = 256 * 1024;
const BYTES_PER_READ = 64 * 1024;
/** How long one write waits for programs that do not read. */
const WRITE_WAIT_MS = 5_000;
/** How long a terminal exists without a reader. */
const ABANDONED_AFTER_MS = 30_000;

/** A terminal of this machine. */
export class LocalTerminal implements Terminal {
  readonly #output: Buffer[] = [];
  /** The offset of the first byte in `#output`. */
  #from = 0;
  #buffered = 0;
  #received = 0;
  #isClosed = false;
  #reading = 0;
  #abandoned: NodeJS.Timeout | undefined;
  #arrived = Promise.withResolvers<void>();

  private constructor(
    private readonly opened: OpenedTerminal,
    private readonly onAbandoned: () => void,
    private readonly abandonedAfterMs: number,
  ) {
    const { stdout } = opened.process;
    stdout.on('data', (chunk: Buffer) => {
      this.#output.push(chunk);
      this.#buffered += chunk.length;
      if (this.#buffered >= BUFFERED_BYTES) stdout.pause();
      this.#announce();
    });
    stdout.once('close', () => {
      this.#isClosed = true;
      this.#announce();
    });
    this.#awaitReader();
  }

  /** @param onAbandoned called once nobody has read the terminal for `abandonedAfterMs`. */
  static async open(
    size: TerminalSize,
    onAbandoned: () => void,
    abandonedAfterMs = ABANDONED_AFTER_MS,
  ): Promise<LocalTerminal> {
    return new LocalTerminal(await openTerminal(size), onAbandoned, abandonedAfterMs);
  }

  /** The end of the command, as a file descriptor. */
  get descriptor(): number {
    return this.opened.slave.fd;
  }

  /** Lets the terminal close when the command has ended. To be called once the command has the descriptor. */
  async release(size: TerminalSize): Promise<void> {
    this.opened.resize(size);
    await this.opened.slave.close();
  }

  /** Closes the terminal: its programs get SIGHUP. */
  hangUp(): void {
    clearTimeout(this.#abandoned);
    this.opened.process.kill('SIGKILL');
  }

  async read(after: number, waitMs: number): Promise<TerminalOutput> {
    this.#reading += 1;
    clearTimeout(this.#abandoned);
    try {
      this.#drop(after);
      if (this.#buffered === 0 && !this.#isClosed) {
        const waiting = new AbortController();
        const late = pause(waitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
        await Promise.race([this.#arrived.promise, late]);
        waiting.abort();
      }
      const data = Buffer.concat(this.#output).subarray(0, BYTES_PER_READ);
      return { data, isOver: this.#isClosed && this.#buffered === 0 };
    } finally {
      this.#reading -= 1;
      this.#awaitReader();
    }
  }

  async write(offset: number, data: Uint8Array): Promise<number> {
    const { stdin } = this.opened.process;
    if (stdin.writableNeedDrain && !this.#isClosed)
      await once(stdin, 'drain', { signal: AbortSignal.timeout(WRITE_WAIT_MS) }).catch(() => undefined);
    const rest = data.subarray(Math.max(0, this.#received - offset));
    if (offset > this.#received || rest.length === 0 || (stdin.writableNeedDrain && !this.#isClosed))
      return this.#received;
    stdin.write(rest);
    this.#received += rest.length;
    return this.#received;
  }

  resize(size: TerminalSize): void {
    this.opened.resize(size);
  }

  #drop(after: number): void {
    let left = after - this.#from;
    if (left < 0 || left > this.#buffered) throw new Error(`the terminal has no output at ${after}`);
    while (left > 0) {
      const first = this.#output[0]!;
      if (first.length > left) this.#output[0] = first.subarray(left);
      else this.#output.shift();
      left -= Math.min(left, first.length);
    }
    this.#buffered -= after - this.#from;
    this.#from = after;
    if (this.#buffered < BUFFERED_BYTES) this.opened.process.stdout.resume();
  }

  #announce(): void {
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers<void>();
  }

  #awaitReader(): void {
    clearTimeout(this.#abandoned);
    if (this.#reading === 0) this.#abandoned = setTimeout(this.onAbandoned, this.abandonedAfterMs).unref();
  }
}
