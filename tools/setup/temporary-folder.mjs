/** The folder for the temporary files of one test task. Plain JavaScript without dependencies, like prepare.mjs. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './is-alive.mjs';

/** The in-memory file system of Linux. */
const MEMORY = '/dev/shm';
const TMPFS_MAGIC = 0x0102_1994;
/** Sufficient for the databases, homes and repositories of two tasks. */
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

/** Errors are ignored: a sandbox that is still ending may use the folder, and the next task deletes it. */
const remove = path => {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  } catch {}
};

/**
 * Creates the folder in POSTERN_TEST_FOLDER, otherwise in memory if there is enough (data there survives the kill of a
 * process, which is sufficient), otherwise in the system's temporary folder. Deletes the folders of killed tasks.
 */
export const createTemporaryFolder = () => {
  const parent = process.env.POSTERN_TEST_FOLDER || (hasRoom(MEMORY) ? MEMORY : tmpdir());
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(parent, name));
  }
  const path = mkdtempSync(join(parent, `postern-test-${process.pid}-`));
  // As root, web services and builds run as other users.
  chmodSync(path, 0o1777);
  return { path, remove: () => remove(path) };
};
