import type { LogWriter } from '@postern/runtime';

/** Forwards the output of a build up to a limit, so that a flood of output does not fill the disk. */
export class BuildOutput {
  #left: number;

  constructor(
    private readonly writer: LogWriter,
    private readonly mostBytes: number,
  ) {
    this.#left = mostBytes;
  }

  /** What the build itself says. */
  readonly take = (chunk: Uint8Array): void => {
    if (this.#left <= 0) return;
    this.writer.write('build', chunk.length > this.#left ? chunk.subarray(0, this.#left) : chunk);
    this.#left -= chunk.length;
    if (this.#left <= 0)
      this.logLine(`Output beyond ${Math.round(this.mostBytes / 2 ** 20)} MiB is not kept; the build continues`, '\n');
  };

  /** What the platform says about the build. */
  logLine(line: string, before = ''): void {
    this.writer.write('build', `${before}${line}\n`);
  }
}
