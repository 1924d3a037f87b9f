import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** One append-only file of a service's log; its name is the Unix time in milliseconds at which it was begun. */
export interface Segment {
  readonly path: string;
  readonly startedAt: number;
}

const SUFFIX = '.jsonl';
const NAME = /^(\d{14})\.jsonl$/;

/** A service's segments, oldest first; none where nothing was ever written. */
export const segmentsIn = async (folder: string): Promise<Segment[]> => {
  const names = await readdir(folder).catch(ignoreMissing);
  return (names ?? [])
    .flatMap(name => {
      const startedAt = NAME.exec(name)?.[1];
      return startedAt ? [{ path: join(folder, name), startedAt: Number(startedAt) }] : [];
    })
    .sort((one, other) => one.startedAt - other.startedAt);
};

/** The next segment; after the last one in name too when the clock was put back. */
export const nextSegment = (folder: string, last: Segment | undefined, now: number): Segment => {
  const startedAt = Math.max(now, (last?.startedAt ?? 0) + 1);
  return { path: join(folder, String(startedAt).padStart(14, '0') + SUFFIX), startedAt };
};

export interface Retention {
  /** Of all segments of a service together. */
  readonly totalBytes: number;
  readonly maxAgeMs: number;
}

/** Deletes the oldest segments beyond the bounds. What is read at that moment can be read to its end. */
export const deleteOutlived = async (folder: string, bounds: Retention, now: number): Promise<void> => {
  let total = 0;
  for (const { path } of (await segmentsIn(folder)).reverse()) {
    const found = await stat(path).catch(ignoreMissing);
    if (!found) continue;
    total += found.size;
    if (total > bounds.totalBytes || now - found.mtimeMs > bounds.maxAgeMs) await rm(path, { force: true });
  }
};

/** Segments vanish under a reader's hands; that is no error. */
export const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};
