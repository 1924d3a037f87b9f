import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { STOP_EVERYTHING } from './services.js';

const WITHIN_MS = 60_000;

/** Stops all instances, builds and databases of a platform home; resolves once none of them runs. */
export const stopPlatform = async (home: string): Promise<void> => {
  await promisify(execFile)(process.execPath, [STOP_EVERYTHING, home], { timeout: WITHIN_MS });
};
