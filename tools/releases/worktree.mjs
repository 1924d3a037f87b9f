/** Clean worktrees of a commit, so that builds do not depend on other files of the checkout. */
import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../setup/is-alive.mjs';

/** The checkout that the command runs in. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const NAME = /^postern-release-(\d+)-\d+$/;
let worktrees = 0;

/** Runs Git in a folder. @returns {string} its trimmed output. @throws with its standard error. */
export const git = (folder, ...args) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Prints a message and exits. */
export const fail = (message, code = 1) => {
  console.error(message);
  process.exit(code);
};

const children = new Set();
let interruptedBy;

/**
 * Runs a program and shows its output. It runs in a separate process group, which ends with this process.
 * @throws if it fails, or if this process is interrupted.
 */
export const run = (command, args, options) =>
  new Promise((resolve, reject) => {
    if (interruptedBy) throw new Error(`interrupted by ${interruptedBy}`);
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true, ...options });
    children.add(child);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      children.delete(child);
      if (interruptedBy) reject(new Error(`interrupted by ${interruptedBy}`));
      else if (code === 0) resolve(undefined);
      else reject(new Error(`${basename(command)} ${args.join(' ')} failed with ${code ?? signal}`));
    });
  });

const endChildren = signal => {
  interruptedBy = signal;
  for (const { pid } of children) process.kill(-pid, 'SIGTERM');
};

const remove = folder => {
  rmSync(folder, { recursive: true, force: true });
  git(ROOT, 'worktree', 'prune');
};

/** Removes worktrees whose process was killed. */
const removeLeftovers = () => {
  for (const line of git(ROOT, 'worktree', 'list', '--porcelain').split('\n')) {
    const folder = line.startsWith('worktree ') ? line.slice('worktree '.length) : '';
    const pid = Number(NAME.exec(basename(folder))?.[1]);
    if (pid && !isAlive(pid)) remove(folder);
  }
};

/** Runs `work` in a clean worktree of the commit, and removes the worktree afterwards. */
export const inWorktreeOf = async (commit, work) => {
  removeLeftovers();
  const folder = join(tmpdir(), `postern-release-${process.pid}-${++worktrees}`);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, endChildren);
  try {
    git(ROOT, 'worktree', 'add', '--quiet', '--detach', folder, commit);
    return await work(folder);
  } finally {
    remove(folder);
    for (const signal of signals) process.off(signal, endChildren);
  }
};
