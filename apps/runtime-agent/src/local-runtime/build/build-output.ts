import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { LogWriter } from '@postern/runtime';

const LAST_CHARACTERS = 32_768;

/** Forwards the output of a build up to a limit, so that a flood of output does not fill the disk. */
export class BuildOutput {
  readonly #decoder = new StringDecoder('utf8');
  #left: number;
  #last = '';

  constructor(
    private readonly writer: LogWriter,
    private readonly mostBytes: number,
  ) {
    this.#left = mostBytes;
  }

  /** Takes output of the processes of the build. */
  readonly take = (chunk: Uint8Array): void => {
    this.#last = (this.#last + this.#decoder.write(chunk)).slice(-LAST_CHARACTERS);
    if (this.#left <= 0) return;
    this.writer.write('build', chunk.length > this.#left ? chunk.subarray(0, this.#left) : chunk);
    this.#left -= chunk.length;
    if (this.#left <= 0)
      this.logLine(`Output beyond ${Math.round(this.mostBytes / 2 ** 20)} MiB is not kept; the build continues`, '\n');
  };

  /** The last characters of the output, also beyond the limit, without terminal control sequences. */
  get last(): string {
    return stripVTControlCharacters(this.#last);
  }

  /** The whole lines among the last characters: a line that was cut could contain a part of a secret. */
  get lastLines(): string {
    const isCut = this.#last.length === LAST_CHARACTERS;
    return isCut ? this.last.slice(this.last.indexOf('\n') + 1) : this.last;
  }

  /** Writes a line of Postern about the build. */
  logLine(line: string, before = ''): void {
    this.writer.write('build', `${before}${line}\n`);
  }
}
