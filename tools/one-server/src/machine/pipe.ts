import { run } from './run.js';

/** Runs a pipe of programs, which fails if any of them fails. The arguments are $1, $2, … of the script. */
export const pipe = (script: string, ...args: readonly string[]): Promise<string> =>
  run('bash', ['-c', `set -o pipefail; ${script}`, 'bash', ...args]);
