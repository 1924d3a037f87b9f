import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readIfExists } from '../machine/files.js';

const LOCK = '/run/postern/lock';

/** Whether a process id is that of a running `postern`, so that the lock of a killed one does not stay. */
const isAlive = (pid: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('one-server');
  } catch {
    return false;
  }
};

/** Whether a command is changing the installation. */
export const isLocked = (): boolean => {
  const holder = readIfExists(LOCK)?.trim();
  return holder !== undefined && isAlive(holder);
};

/** Runs `work` while no other command changes the installation, or has the lock of another name. @throws if one does. */
export const withLock = async <T>(work: () => Promise<T>, file = LOCK): Promise<T> => {
  mkdirSync('/run/postern', { recursive: true, mode: 0o755 });
  acquire(file);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
};

const acquire = (file: string): void => {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = readFileSync(file, 'utf8').trim();
      if (isAlive(holder))
        throw new Error(`Another postern command is running (process ${holder}). Wait until it ends.`);
      rmSync(file, { force: true });
    }
  }
  throw new Error('Another postern command has just started. Wait until it ends.');
};
