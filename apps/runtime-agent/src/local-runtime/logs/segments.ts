import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addDeletedLines, lineEndsIn } from './deleted-lines.js';
import { ignoreMissing } from './ignore-missing.js';

/** One append-only file of a service's log, named after its start time in Unix milliseconds. */
export interface Segment {
  readonly path: string;
  readonly startedAt: number;
}

const SUFFIX = '.jsonl';
const NAME = /^(\d{14})\.jsonl$/;

/** The segments of a service, oldest first; empty if nothing was written. */
export const segmentsIn = async (folder: string): Promise<Segment[]> => {
  const names = await readdir(folder).catch(ignoreMissing);
  return (names ?? [])
    .flatMap(name => {
      const startedAt = NAME.exec(name)?.[1];
      return startedAt ? [{ path: join(folder, name), startedAt: Number(startedAt) }] : [];
    })
    .sort((one, other) => one.startedAt - other.startedAt);
};

/** The next segment. Its name sorts after the last one even if the clock was set back. */
export const nextSegment = (folder: string, last: Segment | undefined, now: number): Segment => {
  const startedAt = Math.max(now, (last?.startedAt ?? 0) + 1);
  return { path: join(folder, String(startedAt).padStart(14, '0') + SUFFIX), startedAt };
};

export interface Retention {
  /** Maximum total size of the segments of a service. */
  readonly totalBytes: number;
  readonly maxAgeMs: number;
}

/** Deletes the oldest segments beyond the limits. Readers that have a segment open can read it to its end. */
export const deleteOutlived = async (folder: string, bounds: Retention, now: number): Promise<void> => {
  let total = 0;
  for (const { path } of (await segmentsIn(folder)).reverse()) {
    const found = await stat(path).catch(ignoreMissing);
    if (!found) continue;
    total += found.size;
    if (total > bounds.totalBytes || now - found.mtimeMs > bounds.maxAgeMs) await deleteSegment(folder, path);
  }
};

/** Deletes a segment and counts its lines among the deleted ones, unless another call has deleted it. */
const deleteSegment = async (folder: string, path: string): Promise<void> => {
  const lines = await lineEndsIn(path);
  const isOurs = await rm(path).then(() => true, ignoreMissing);
  if (isOurs) await addDeletedLines(folder, lines);
};
