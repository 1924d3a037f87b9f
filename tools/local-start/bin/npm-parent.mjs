import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 500;

/** Parent and name of a process from /proc; undefined if the process has ended or there is no /proc. */
const processOf = pid => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) };
  } catch {
    return undefined;
  }
};

/** The parent process, and its own parent if npm started this process through a shell. */
const chain = () => {
  const shell = processOf(process.ppid);
  return shell && /^(sh|bash|dash|zsh|ash|busybox)$/.test(shell.name) ? [process.ppid, shell.parent] : [process.ppid];
};

/**
 * Calls `act` once when the npm process that started this one ends, because a killed npm sends no signal. Does nothing
 * without npm.
 */
export const onNpmExit = act => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const began = chain().join();
  const timer = setInterval(() => {
    if (chain().join() === began) return;
    clearInterval(timer);
    act();
  }, CHECK_EVERY_MS);
  timer.unref();
};
