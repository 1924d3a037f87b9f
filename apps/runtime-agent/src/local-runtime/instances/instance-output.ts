import { setTimeout as delay } from 'node:timers/promises';
import type { LogWriter } from '@postern/runtime';
import { OutputLines } from '../logs/output-lines.js';
import type { InstanceHost } from './instance-host.js';
import { PipeReader } from './instance-pipes.js';
import type { InstanceRecord } from './instance-record.js';
import { LastLines } from './last-lines.js';

/** How long the pipes are read after all processes that can write to them have ended. */
const SETTLE_MS = 2_000;

/** Forwards the output of an instance from its pipes to the log of its web service, and reads its exit status. */
export class InstanceOutput {
  readonly #errors: LastLines;
  readonly #writer: LogWriter;
  readonly #folder: string;
  /** The lines of a command whose streams are logged as one. */
  readonly #joined: OutputLines | undefined;
  #readers: readonly PipeReader[] = [];
  #status = '';
  #isDetached = false;
  #isTerminating = false;

  /**
   * @param onExit is called, possibly several times: with the exit code, or with undefined when the exit pipe closes.
   */
  constructor(
    host: InstanceHost,
    { id, webServiceId, name, command }: InstanceRecord,
    secrets: readonly string[],
    private readonly onExit: (code: number | undefined) => void,
  ) {
    this.#errors = new LastLines(host.redactor(secrets));
    this.#writer = host.logs.writer(webServiceId, name, secrets);
    this.#folder = host.instanceRecords.folderOf(id);
    const stream = command?.stream;
    this.#joined =
      stream &&
      new OutputLines(
        () => host.redactor(secrets),
        line => this.#writer.write(stream, `${line}\n`),
      );
  }

  /** The last lines of stderr before its termination, with secrets masked; complete after `settle`. */
  get lastErrors(): readonly string[] {
    return this.#errors.lines;
  }

  /** Writes a line of the platform to the log. */
  logLine(line: string): void {
    this.#writer.write('platform', `${line}\n`);
  }

  /** Later output is written to the log, but not to `lastErrors`. */
  markTerminating(): void {
    this.#isTerminating = true;
  }

  /** Starts reading the pipes. */
  async read(): Promise<void> {
    const output = await PipeReader.open(this.#folder, 'stdout', chunk => this.#write(chunk, 'stdout'));
    const errors = await PipeReader.open(this.#folder, 'stderr', chunk => {
      if (this.#isTerminating && isShellNotice(chunk)) return;
      if (!this.#isTerminating) this.#errors.push(chunk);
      this.#write(chunk, 'stderr');
    });
    const exit = await PipeReader.open(this.#folder, 'exit', chunk => this.#takeStatus(chunk));
    this.#readers = [output, errors, exit];
    void exit.ended.then(() => !this.#isDetached && this.onExit(undefined));
  }

  /**
   * Reads the pipes to their end, for at most `SETTLE_MS`. They close once all processes have ended and all data is
   * read.
   */
  async settle(): Promise<void> {
    const settling = new AbortController();
    const timeout = delay(SETTLE_MS, undefined, { signal: settling.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#readers.map(reader => reader.ended)), timeout]);
    settling.abort();
    for (const reader of this.#readers) reader.close();
    this.#errors.end();
  }

  /** Closes the log. */
  async close(): Promise<void> {
    this.#joined?.end();
    await this.#writer.close();
  }

  /** Stops reading. The next platform process continues. */
  async detach(): Promise<void> {
    this.#isDetached = true;
    for (const reader of this.#readers) reader.close();
    await this.close();
  }

  #write(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void {
    if (this.#joined) this.#joined.push(chunk, stream);
    else this.#writer.write(stream, chunk);
  }

  #takeStatus(chunk: Buffer): void {
    this.#status += chunk.toString('latin1').slice(0, 8);
    const status = /^(\d+)\n/.exec(this.#status)?.[1];
    if (status !== undefined) this.onExit(Number(status));
  }
}

/** What a shell prints when it gets SIGTERM, which is how every instance is stopped. */
const isShellNotice = (chunk: Uint8Array): boolean =>
  chunk.length <= SHELL_NOTICE.length + 1 && Buffer.from(chunk).toString('latin1').trimEnd() === SHELL_NOTICE;

const SHELL_NOTICE = 'Terminated';
