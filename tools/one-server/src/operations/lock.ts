import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const LOCK = '/run/postern/lock';

/** Whether a process id is that of a running `postern`, so that the lock of a killed one does not stay. */
const isAlive = (pid: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('one-server');
  } catch {
    return false;
  }
};

/** Runs `work` while no other command changes the installation. @throws if another one does. */
export const withLock = async <T>(work: () => Promise<T>): Promise<T> => {
  mkdirSync('/run/postern', { recursive: true, mode: 0o755 });
  acquire();
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
};

const acquire = (): void => {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = readFileSync(LOCK, 'utf8').trim();
      if (isAlive(holder))
        throw new Error(`Another postern command is running (process ${holder}). Wait until it ends.`);
      rmSync(LOCK, { force: true });
    }
  }
  throw new Error('Another postern command has just started. Wait until it ends.');
};
