import { readFile } from 'node:fs/promises';
import type { ConnectionBounds } from '../settings.js';

/**
 * One file for the client's connection, one for the backend's, and one as reserve for ports, the control socket and
 * files.
 */
const FILES_PER_CONNECTION = 3;
/** If the file limit lowers the total, this many addresses can use all connections together. */
const ADDRESSES = 4;

/** The connection limits, lowered if the process may not open enough files. */
export const boundsWithin = (bounds: ConnectionBounds, openFiles: number): ConnectionBounds => {
  const total = Math.max(1, Math.floor(openFiles / FILES_PER_CONNECTION));
  if (total >= bounds.total) return bounds;
  return { total, perAddress: Math.min(bounds.perAddress, Math.max(1, Math.floor(total / ADDRESSES))) };
};

/**
 * Number of files that this process may open (Node.js raises the soft limit to the hard limit); Infinity if unknown.
 */
export const openFileLimit = async (): Promise<number> => {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
};
