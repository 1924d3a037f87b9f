import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Passes on every line that the child writes to either output. */
export function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const output of [child.stdout, child.stderr]) if (output) createInterface({ input: output }).on('line', onLine);
}

/** The current child processes of `parent`. */
export async function childProcesses(parent: number): Promise<number[]> {
  const pairs = existsSync('/proc/self/stat') ? fromProc() : await fromPs();
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid);
}

type Pair = readonly [pid: number, ppid: number];

/** Small Linux images have no `ps`. */
const fromProc = (): Pair[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        // The program name in brackets may contain anything; the state and the parent follow it.
        const [, ppid] = /.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'latin1')) ?? [];
        return [[Number(name), Number(ppid)] as const];
      } catch {
        return [];
      }
    });

const fromPs = async (): Promise<Pair[]> => {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number) as unknown as Pair);
};
