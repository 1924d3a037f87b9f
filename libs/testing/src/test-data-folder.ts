import { statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

/** Memory as a file system, on Linux. */
const MEMORY = '/dev/shm';
const TMPFS_MAGIC = 0x0102_1994;
/** Servers of all workers of a run fit into it. */
const NEEDED_BYTES = 3 * 1024 ** 3;

/**
 * Where data of test servers lie: in memory where the machine has enough of it, because they survive the kill of a process and
 * nothing longer; otherwise in the folder of temporary files. `POSTERN_TEST_DATA` names another folder.
 */
export function testDataFolder(): string {
  const named = process.env['POSTERN_TEST_DATA'];
  if (named) return named;
  return hasRoom(MEMORY) && freemem() >= NEEDED_BYTES ? MEMORY : tmpdir();
}

function hasRoom(folder: string): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === TMPFS_MAGIC && bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
