import type { LogWriter } from '@postern/runtime';

/** Passes a build's output on, up to a bound, so that a flood ends in a remark and not in a full disk. */
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
      this.remark(`Output beyond ${Math.round(this.mostBytes / 2 ** 20)} MiB is not kept; the build goes on`, '\n');
  };

  /** What the platform says about the build. */
  remark(line: string, before = ''): void {
    this.writer.write('build', `${before}${line}\n`);
  }
}
