import { readdirSync, readFileSync } from 'node:fs';
import { waitFor } from '@postern/testing';

export interface MarkedProcess {
  readonly pid: number;
  readonly command: string;
}

/** A file of /proc, or an empty text if the process has ended. */
const textOf = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
};

/** Processes of this machine with the mark in their environment or arguments, without zombies. */
export const processesWith = (mark: string): readonly MarkedProcess[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => ({ pid, command: textOf(pid, 'cmdline'), environment: textOf(pid, 'environ') }))
    .filter(({ command, environment }) => command.includes(mark) || environment.includes(mark))
    .map(({ pid, command }) => ({ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() }));

/** Resolves when at least one process has the mark. */
export const untilRuns = (mark: string): Promise<readonly MarkedProcess[]> =>
  waitFor(
    () => {
      const found = processesWith(mark);
      return found.length > 0 ? found : undefined;
    },
    { timeoutMs: 30_000, describe: `a process with ${mark}` },
  );
