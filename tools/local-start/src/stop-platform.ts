import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = join(import.meta.dirname, '../../../apps/platform-management/dist/stop-everything/main.js');
const WITHIN_MS = 60_000;

/** Ends all instances, builds and databases of a platform home; nothing of them runs when it resolves. */
export const stopPlatform = async (home: string): Promise<void> => {
  await promisify(execFile)(process.execPath, [PROGRAM, home], { timeout: WITHIN_MS });
};
