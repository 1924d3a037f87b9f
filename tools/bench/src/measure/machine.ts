import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg, release, totalmem } from 'node:os';

/** The properties of the machine that results depend on. */
export const machineFacts = () => ({
  at: new Date().toISOString(),
  commit: output('git', ['rev-parse', '--short=10', 'HEAD']),
  processor: cpus()[0]?.model ?? 'unknown',
  processors: cpus().length,
  memory_gib: Math.round(totalmem() / 2 ** 30),
  kernel: `${release()} ${arch()}`,
  node: process.version,
  load_average: loadavg().map(load => Number(load.toFixed(2))),
});

/** The output of a program, or undefined if it is missing or fails. */
export const output = (program: string, args: readonly string[]): string | undefined => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};
