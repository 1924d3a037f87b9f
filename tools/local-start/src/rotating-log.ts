import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync, writevSync } from 'node:fs';

export interface RotationLimits {
  /** Size at which a file is rotated. */
  readonly bytes: number;
  /** Number of files kept, including the current one. */
  readonly files: number;
}

const LIMITS: RotationLimits = { bytes: 10 * 1024 ** 2, files: 5 };
/** Delay before the file is opened again after an error, such as a full disk. */
const REOPEN_AFTER_MS = 1_000;

/**
 * A log file of bounded size: `<file>` is the current one, `<file>.1` the previous one. The process that reads the
 * child's output rotates the files, so that no line is lost and the child keeps its output open.
 */
export class RotatingLog {
  #descriptor: number | undefined;
  #size = 0;
  #notBefore = 0;
  #ended = false;

  constructor(
    readonly file: string,
    private readonly limits: RotationLimits = LIMITS,
  ) {
    this.#try(() => this.#open());
  }

  write(line: string): void {
    this.append([Buffer.from(`${line}\n`)]);
  }

  /** Writes complete lines. Lines after `end`, or while the file is not writable, are dropped. */
  append(lines: readonly Buffer[]): void {
    if (this.#ended || Date.now() < this.#notBefore) return;
    this.#try(() => {
      if (this.#size >= this.limits.bytes) this.#rotate();
      this.#size += writevSync(this.#descriptor ?? this.#open(), lines);
    });
  }

  end(): void {
    this.#ended = true;
    this.#close();
  }

  /** The last lines of the file. */
  tail(lines: number): string {
    try {
      return readFileSync(this.file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } catch {
      return '(nothing was logged)';
    }
  }

  /** A write error of the log must not stop the logged process. */
  #try(work: () => void): void {
    try {
      work();
    } catch {
      this.#close();
      this.#notBefore = Date.now() + REOPEN_AFTER_MS;
    }
  }

  #open(): number {
    const descriptor = openSync(this.file, 'a', 0o600);
    this.#descriptor = descriptor;
    this.#size = fstatSync(descriptor).size;
    return descriptor;
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #rotate(): void {
    this.#close();
    for (let number = this.limits.files - 1; number > 0; number -= 1) {
      const from = number === 1 ? this.file : `${this.file}.${number - 1}`;
      if (existsSync(from)) renameSync(from, `${this.file}.${number}`);
    }
    this.#open();
  }
}
