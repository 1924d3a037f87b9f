import { statfsSync } from 'node:fs';

const MIB = 1024 ** 2;
/** Below this, PostgreSQL's cluster, its write-ahead log and the five databases do not fit. */
const NEEDED_FOR_A_NEW_HOME = 512 * MIB;
/** An existing home needs this much to start and to write a checkpoint. */
const NEEDED_FOR_AN_OLD_HOME = 128 * MIB;
/** From here on every limit has its default, and builds of web services have enough space. */
const COMFORTABLE = 4096 * MIB;
/** Below this, a running Postern prints a warning. */
export const LOW_DISK_BYTES = 256 * MIB;

/** How the local start uses the free disk space; NATS uses at most three quarters of it. */
export interface DiskPlan {
  /** Maximum size of PostgreSQL's write-ahead log between two checkpoints. */
  readonly walBytes: number;
  /** Set if the disk is small, but sufficient. */
  readonly warning: string | undefined;
}

const mib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;
const clamp = (bytes: number, least: number, most: number): number =>
  Math.floor(Math.min(most, Math.max(least, bytes)));

/** Free bytes for an unprivileged process on the disk of the folder; infinite if unknown. */
export const freeBytesOf = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

/**
 * Sizes PostgreSQL's write-ahead log for the free disk space.
 * @throws with the required space, the free space and a remedy if the disk is too small to start.
 */
export const planDisk = (folder: string, freeBytes: number, isNewHome: boolean): DiskPlan => {
  const needed = isNewHome ? NEEDED_FOR_A_NEW_HOME : NEEDED_FOR_AN_OLD_HOME;
  if (freeBytes < needed)
    throw new Error(
      `The disk of ${folder} has ${mib(freeBytes)} free, and Postern needs ${mib(needed)} to start.\n` +
        'Free some space, or choose a folder on another disk: POSTERN_HOME=<folder> npm start',
    );
  return {
    walBytes: clamp(freeBytes / 4, 64 * MIB, 2048 * MIB),
    warning:
      freeBytes < COMFORTABLE
        ? `the disk has ${mib(freeBytes)} free; below ${mib(COMFORTABLE)}, event streams are smaller, and builds of web services may run out of space`
        : undefined,
  };
};

/** Prints a line when the disk of a running Postern is nearly full, and another when there is space again. */
export const watchDisk = (folder: string, print: (line: string) => void, everyMs = 10_000): (() => void) => {
  let low = false;
  const timer = setInterval(() => {
    const free = freeBytesOf(folder);
    if (free < LOW_DISK_BYTES === low) return;
    low = !low;
    print(
      low
        ? `the disk of ${folder} has only ${mib(free)} free: free some space, or requests will be refused with 503`
        : `the disk of ${folder} has space again: ${mib(free)} free`,
    );
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
};
