/** The folder for the temporary files of one test task. Plain JavaScript without dependencies, as prepare.mjs is. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './is-alive.mjs';

/** Memory as a file system, on Linux. */
const MEMORY = '/dev/shm';
const TMPFS_MAGIC = 0x0102_1994;
/** Databases, homes and repositories of two tasks fit into it. */
const NEEDED_BYTES = 8 * 1024 ** 3;
const NAME = /^postern-test-(\d+)-/;

const hasRoom = folder => {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === TMPFS_MAGIC && bavail * bsize >= NEEDED_BYTES && freemem() >= NEEDED_BYTES;
  } catch {
    return false;
  }
};

/** A sandbox that has not ended yet may still use a folder: the next task deletes it. */
const remove = path => {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  } catch {}
};

/**
 * In memory where the machine has enough of it, because data there survive the kill of a process and nothing longer; otherwise
 * where temporary files of this machine are, or where `POSTERN_TEST_FOLDER` says. Deletes those of tasks that were killed.
 */
export const createTemporaryFolder = () => {
  const parent = process.env.POSTERN_TEST_FOLDER || (hasRoom(MEMORY) ? MEMORY : tmpdir());
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(parent, name));
  }
  const path = mkdtempSync(join(parent, `postern-test-${process.pid}-`));
  // As root, other users run parts of Postern.
  chmodSync(path, 0o1777);
  return { path, remove: () => remove(path) };
};
