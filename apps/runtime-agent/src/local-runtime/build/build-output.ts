import { stripVTControlCharacters } from 'node:util';
import type { LogWriter } from '@postern/runtime';
import { OutputLines } from '../logs/output-lines.js';
import { redactor } from '../redactor.js';

const LAST_CHARACTERS = 32_768;
const LINE_END = 0x0a;

/** Forwards the output of a build up to a limit, so that a flood of output does not fill the disk. */
export class BuildOutput {
  #lines: OutputLines;
  #left: number;
  #last = '';
  /** The last bytes of each stream beyond the limit, of which only the end is searched for secrets. */
  readonly #beyond = new Map<'stdout' | 'stderr', Buffer>();

  constructor(
    private readonly writer: LogWriter,
    private readonly mostBytes: number,
    private readonly secrets: readonly string[],
  ) {
    this.#left = mostBytes;
    this.#lines = this.#newLines();
  }

  /** Takes output of the processes of the build. */
  readonly take = (chunk: Uint8Array, stream: 'stdout' | 'stderr'): void => {
    if (this.#left > 0) {
      this.#lines.push(chunk, stream);
      return;
    }
    const last = Buffer.concat([this.#beyond.get(stream) ?? Buffer.alloc(0), chunk]);
    this.#beyond.set(stream, last.subarray(-LAST_CHARACTERS));
  };

  /** Takes a line in which secrets are masked. */
  takeLine(line: string): void {
    this.#last += `${line}\n`;
    // Not for each line: to cut a long text takes longer than to append to it.
    if (this.#last.length > 2 * LAST_CHARACTERS) this.#last = this.#last.slice(-LAST_CHARACTERS);
    if (this.#left <= 0) return;
    this.logLine(line);
    this.#left -= Buffer.byteLength(line) + 1;
    if (this.#left <= 0)
      this.logLine(`Output beyond ${Math.round(this.mostBytes / 2 ** 20)} MiB is not kept; the build continues`);
  }

  /** To be called when the processes have ended: takes their text without a line end, and their last lines beyond the limit. */
  end(): void {
    if (this.#beyond.size > 0) this.#lines = this.#newLines();
    // The first line could begin within a secret.
    for (const [stream, last] of this.#beyond) this.#lines.push(last.subarray(last.indexOf(LINE_END) + 1), stream);
    this.#beyond.clear();
    this.#lines.end();
  }

  /** The last characters of the output, also beyond the limit, without terminal control sequences, with secrets masked. */
  get last(): string {
    return stripVTControlCharacters(this.#last.slice(-LAST_CHARACTERS));
  }

  /** Writes a line of Postern about the build. */
  logLine(line: string): void {
    this.writer.write('build', `${line}\n`);
  }

  #newLines(): OutputLines {
    return new OutputLines(
      () => redactor(this.secrets),
      line => this.takeLine(line),
    );
  }
}
