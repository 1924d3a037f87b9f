import { existsSync, rmSync } from 'node:fs';
import { readJson, writeJson } from '../machine/files.js';
import { PLACES } from '../rendering/places.js';
import { type Change, unitsToRestart } from './changes.js';

/** Units whose files changed and that have not read them yet, also after a kill between the two. */
export interface Pending {
  readonly restart: readonly string[];
  readonly reload: readonly string[];
}

const FILE = `${PLACES.state}/pending.json`;

/** A restart includes a reload. */
const union = (one: Pending, other: Pending): Pending => {
  const restart = new Set([...one.restart, ...other.restart]);
  return {
    restart: [...restart],
    reload: [...new Set([...one.reload, ...other.reload])].filter(unit => !restart.has(unit)),
  };
};

export const pendingUnits = (): Pending => readJson<Pending>(FILE) ?? { restart: [], reload: [] };

/** Whether changes were written, or began to be, that have not been applied completely. */
export const isApplicationPending = (file = FILE): boolean => existsSync(file);

/** Remembers, before files are written, which units have to read them. */
export const notePending = (changes: readonly Change[]): void =>
  writeJson(FILE, union(pendingUnits(), unitsToRestart(changes)));

export const clearPending = (): void => rmSync(FILE, { force: true });
