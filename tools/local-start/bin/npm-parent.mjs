import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 500;

/** What /proc says of a process; undefined where it is gone or there is no /proc. */
const processOf = pid => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) };
  } catch {
    return undefined;
  }
};

/** Our parent; and its parent, where npm started us through a shell. */
const chain = () => {
  const shell = processOf(process.ppid);
  return shell && /^(sh|bash|dash|zsh|ash|busybox)$/.test(shell.name) ? [process.ppid, shell.parent] : [process.ppid];
};

/** Calls once when npm, which started this process, was killed: it tells nobody. Without npm nothing is watched. */
export const whenNpmIsGone = act => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const began = chain().join();
  const timer = setInterval(() => {
    if (chain().join() === began) return;
    clearInterval(timer);
    act();
  }, CHECK_EVERY_MS);
  timer.unref();
};
