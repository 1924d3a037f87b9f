import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unmountFolder } from '@postern/testing';
import { commandOf, isAlive, processesWith, signal } from './process-table.js';

const PREFIX = 'postern-faults-';
const OWNER = 'owner.pid';
const ENDS_WITHIN_MS = 5_000;

/** Creates the folder of one run; its path also identifies the processes of the run. */
export const createRunFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, OWNER), String(process.pid));
  return folder;
};

const ownerRuns = (folder: string): boolean => {
  try {
    const pid = Number(readFileSync(join(folder, OWNER), 'utf8'));
    return isAlive(pid) && commandOf(pid).includes('faults');
  } catch {
    return false;
  }
};

/** Ends every process of a run, unmounts its disk and deletes its folder. @returns the commands of processes that still ran. */
export const removeRunFolder = async (folder: string): Promise<readonly string[]> => {
  const leftOver = processesWith(folder);
  const commands = leftOver.map(commandOf);
  for (const pid of leftOver) signal(pid, 'SIGKILL');
  const deadline = Date.now() + ENDS_WITHIN_MS;
  while (processesWith(folder).length > 0 && Date.now() < deadline) await new Promise(done => setTimeout(done, 100));
  unmountFolder(join(folder, 'home'));
  // Build artefacts are read-only for their owner as well.
  execFileSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true, force: true });
  return commands;
};

/** Removes the leftovers of killed runs. @returns their folders. */
export const removeAbandonedRuns = async (): Promise<readonly string[]> => {
  const abandoned = readdirSync(tmpdir())
    .filter(name => name.startsWith(PREFIX))
    .map(name => join(tmpdir(), name))
    .filter(folder => !ownerRuns(folder));
  for (const folder of abandoned) await removeRunFolder(folder);
  return abandoned;
};
