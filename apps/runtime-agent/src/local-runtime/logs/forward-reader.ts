import { stat } from 'node:fs/promises';
import type { LogPage, LogPageQuery, StoredLogLine } from '@postern/runtime';
import { ignoreMissing } from './ignore-missing.js';
import { linesFrom, linesFromTheEnd } from './lines-from-the-end.js';
import type { Segment } from './segments.js';
import { decodeLine } from './stored-line.js';

/** A byte offset in a segment, after a line end. */
interface Place {
  readonly startedAt: number;
  readonly byte: number;
}

/** How much of the lines of other instances one page skips. */
const MAX_SKIPPED_BYTES = 4 * 1024 * 1024;
const BEGINNING: Place = { startedAt: 0, byte: 0 };
const PLACE = /^(\d{1,14})-(\d{1,12})$/;

/**
 * Returns the lines after a place, in the order in which they were stored. A reader that continues with `next` gets
 * each line once. Only the lines of the page, and those that it skips, are read from disk.
 */
export const readForwards = async (segments: readonly Segment[], query: LogPageQuery): Promise<LogPage> => {
  const begin = placeOf(query.after) ?? (await firstPlaceOf(segments, query));
  const sinceMs = query.after === undefined && query.since !== undefined ? query.since * 1_000 : 0;
  const lines: StoredLogLine[] = [];
  const isIncomplete = begin.startedAt > 0 && !segments.some(({ startedAt }) => startedAt === begin.startedAt);
  let place = begin;
  let [bytes, skipped] = [0, 0];
  const page = (hasMore: boolean): LogPage => ({ lines, next: nameOf(place), hasMore, isIncomplete });
  for (const segment of segments.filter(({ startedAt }) => startedAt >= begin.startedAt)) {
    const byte = segment.startedAt === begin.startedAt ? begin.byte : 0;
    if ((await sizeOf(segment)) <= byte) continue;
    for await (const { text, end } of linesFrom(segment.path, byte)) {
      const size = Buffer.byteLength(text);
      if (skipped > MAX_SKIPPED_BYTES) return page(true);
      if (lines.length >= query.maxLines || (lines.length > 0 && bytes + size > query.maxBytes)) return page(true);
      place = { startedAt: segment.startedAt, byte: end };
      const line = decodeLine(text);
      if (!line) continue;
      if (line.timestamp.getTime() < sinceMs || (query.instance ?? line.instance) !== line.instance) {
        skipped += size;
        continue;
      }
      bytes += size;
      lines.push({ ...line, id: nameOf(place) });
    }
  }
  return page(false);
};

const nameOf = ({ startedAt, byte }: Place): string => `${startedAt}-${byte}`;

/** The place that an id of a line names; undefined if it names none. */
export const placeOf = (name: string | undefined): Place | undefined => {
  const [, startedAt, byte] = PLACE.exec(name ?? '') ?? [];
  return startedAt === undefined ? undefined : { startedAt: Number(startedAt), byte: Number(byte) };
};

const firstPlaceOf = (segments: readonly Segment[], { since, tail }: LogPageQuery): Place | Promise<Place> => {
  if (since === undefined) return placeOfLast(segments, tail);
  const segment = segments.findLast(({ startedAt }) => startedAt <= since * 1_000) ?? segments[0];
  return segment ? { startedAt: segment.startedAt, byte: 0 } : BEGINNING;
};

const placeOfLast = async (segments: readonly Segment[], count: number): Promise<Place> => {
  let [place, left] = [BEGINNING, count];
  for (const { path, startedAt } of segments.toReversed()) {
    for await (const { text, start } of linesFromTheEnd(path)) {
      if (!decodeLine(text)) continue;
      place = { startedAt, byte: start };
      left -= 1;
      if (left === 0) return place;
    }
  }
  return place;
};

const sizeOf = async ({ path }: Segment): Promise<number> => (await stat(path).catch(ignoreMissing))?.size ?? 0;
