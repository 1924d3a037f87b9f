import { execFile } from 'node:child_process';
import { basename } from 'node:path';

const TIMEOUT_MS = 30_000;

/** Runs a program with text as its standard input. @throws with its error messages. */
export const runProgram = (program: string, args: readonly string[], input = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const, maxBuffer: 2 ** 26, env: { LC_ALL: 'C' } };
    const child = execFile(program, args, options, (error, output, errors) => {
      const reason = errors.trim() || `ended with ${error?.signal ?? error?.code}`;
      if (error) reject(new Error(`${basename(program)}: ${reason}`));
      else resolve(output);
    });
    // The program may end before it has read everything; its exit status tells why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
