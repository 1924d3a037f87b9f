/** Lines of the end of an output that are kept. */
const LAST = 5;
/** Longer lines are omitted: a truncated line could contain a part of a secret, which would not be masked. */
export const MAX_FAILURE_LINE = 500;

/** Errors of Node.js, Python, Ruby, Go, Java, PHP and Rust, of npm, and of the shell. Every pattern takes linear time. */
const CAUSES: readonly RegExp[] = [
  /^(?:Uncaught )?[A-Za-z_][\w.]*(?:Error|Exception)(?: \[[\w ]+\])?: /,
  /^panic: /,
  /^thread '[^']*' panicked at /,
  /^Exception in thread "/,
  /^Caused by: /,
  /^PHP Fatal error: /,
  /\([A-Z]\w*(?:Error|Exception)\)$/,
  /^npm (?:error|ERR!) (?:code )?E?[A-Z0-9]+ /,
  /^npm (?:error|ERR!) \d{3} /,
  /^(?:sh|bash|\/bin\/sh): (?:line )?(?:\d+: )?.*not found$/,
  /^error(?:\[\w+\])?: /i,
];
const FRAME = /^\s+at /;
const RUNTIME_FRAME = /\((?:node:|internal\/)|^\s+at (?:async )?(?:node:|internal\/)/;
const LIBRARY_FRAME = /node_modules\//;

/**
 * The lines of an output that tell why a program failed: the last error with the first line of the program's own code, and
 * the end of the output, without the frames of the runtime, which follow the error and would be all that is left.
 */
export class FailureLines {
  #cause: string[] = [];
  #last: string[] = [];

  add(line: string): void {
    if (line.trim() === '' || RUNTIME_FRAME.test(line)) return;
    if (CAUSES.some(pattern => pattern.test(line))) this.#cause = [line];
    else if (this.#cause.length === 1 && isOwnFrame(line)) this.#cause.push(line);
    this.#last.push(line);
    if (this.#last.length > LAST) this.#last.shift();
  }

  get all(): readonly string[] {
    return [...this.#cause.filter(line => !this.#last.includes(line)), ...this.#last];
  }
}

const isOwnFrame = (line: string): boolean => FRAME.test(line) && !LIBRARY_FRAME.test(line);

/** The lines of a whole output that tell why its program failed. */
export const failureLinesOf = (output: string): readonly string[] => {
  const lines = new FailureLines();
  for (const line of output.split(/\r?\n|\r/)) if (line.length <= MAX_FAILURE_LINE) lines.add(line);
  return lines.all;
};
