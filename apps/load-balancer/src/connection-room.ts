import { readFile } from 'node:fs/promises';
import type { ConnectionBounds } from './settings.js';

/** A connection of a client, the one to its backend, and as much again for ports, orders and files. */
const FILES_PER_CONNECTION = 3;
/** Where files are few, this many addresses take all connections together. */
const ADDRESSES = 4;

/** The bounds of connections, or less where the process may not open so many files. */
export const boundsWithin = (bounds: ConnectionBounds, openFiles: number): ConnectionBounds => {
  const total = Math.max(1, Math.floor(openFiles / FILES_PER_CONNECTION));
  if (total >= bounds.total) return bounds;
  return { total, perAddress: Math.min(bounds.perAddress, Math.max(1, Math.floor(total / ADDRESSES))) };
};

/** How many files this process may open (Node.js raises the soft limit to the hard one); Infinity where nobody says so. */
export const openFileLimit = async (): Promise<number> => {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
};
