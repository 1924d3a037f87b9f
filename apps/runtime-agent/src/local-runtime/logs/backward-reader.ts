import type { LogLine, LogQuery } from '@postern/runtime';
import { linesFromTheEnd } from './lines-from-the-end.js';
import type { Segment } from './segments.js';
import { decodeLine } from './stored-line.js';

/** How far the clock may be set back between two lines without `since` missing lines. */
const DISORDER_MS = 60_000;

/**
 * Returns the last `tail` lines from `since` to `until` of the requested streams and instance, oldest first. Reads from
 * the end, so that the cost depends on the lines since then, not on the size of the log.
 */
export const readBackwards = async (
  segments: readonly Segment[],
  { tail, since, until, streams, search, instance }: LogQuery,
): Promise<LogLine[]> => {
  const latest = until === undefined ? Number.POSITIVE_INFINITY : until * 1_000;
  const earliest = since === undefined ? Number.NEGATIVE_INFINITY : since * 1_000;
  const wanted = search?.toLowerCase();
  const isWanted = (line: LogLine): boolean =>
    (streams?.includes(line.stream) ?? true) &&
    (instance === undefined || instance === line.instance) &&
    (wanted === undefined || line.message.toLowerCase().includes(wanted));
  const newestFirst: LogLine[] = [];
  reading: for (const segment of segments.toReversed()) {
    for await (const { text } of linesFromTheEnd(segment.path)) {
      if (newestFirst.length >= tail) break reading;
      const line = decodeLine(text);
      if (!line) continue;
      const time = line.timestamp.getTime();
      if (time < earliest - DISORDER_MS) break reading;
      if (time >= earliest && time <= latest && isWanted(line)) newestFirst.push(line);
    }
  }
  return newestFirst.reverse().sort((one, other) => one.timestamp.getTime() - other.timestamp.getTime());
};
