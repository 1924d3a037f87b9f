import { type FileHandle, open } from 'node:fs/promises';
import type { LogLine, LogQuery } from '@postern/runtime';
import { ignoreMissing, type Segment } from './segments.js';
import { decodeLine } from './stored-line.js';

const BLOCK_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/** How far a clock may have been put back between two lines before `since` misses one. */
const DISORDER_MS = 60_000;

/**
 * The last `tail` lines at or after `since`, oldest first. Reads from the end, and only as far as it must: the cost is
 * that of the lines in the answer, not of the log.
 */
export const readBackwards = async (segments: readonly Segment[], { tail, since }: LogQuery): Promise<LogLine[]> => {
  const earliest = since === undefined ? Number.NEGATIVE_INFINITY : since * 1_000;
  const newestFirst: LogLine[] = [];
  reading: for (const segment of segments.toReversed()) {
    for await (const text of linesFromTheEnd(segment.path)) {
      if (newestFirst.length >= tail) break reading;
      const line = decodeLine(text);
      if (!line) continue;
      const time = line.timestamp.getTime();
      if (time < earliest - DISORDER_MS) break reading;
      if (time >= earliest) newestFirst.push(line);
    }
  }
  return newestFirst.reverse().sort((one, other) => one.timestamp.getTime() - other.timestamp.getTime());
};

/** Whole lines of a file from its last to its first; a last one without its line end is still being written, or torn. */
async function* linesFromTheEnd(path: string): AsyncGenerator<string> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (!file) return;
  try {
    let position = (await file.stat()).size;
    // The beginning of a line whose end has been seen already; undefined until the first line end is.
    let rest: Buffer[] | undefined;
    while (position > 0) {
      const start = Math.max(0, position - BLOCK_BYTES);
      const block = await readExactly(file, start, position - start);
      position = start;
      let end = block.length;
      for (let at = block.lastIndexOf(LINE_END); at !== -1; at = at === 0 ? -1 : block.lastIndexOf(LINE_END, at - 1)) {
        if (rest) yield Buffer.concat([block.subarray(at + 1, end), ...rest]).toString('utf8');
        rest = [];
        end = at;
      }
      rest?.unshift(block.subarray(0, end));
    }
    if (rest) yield Buffer.concat(rest).toString('utf8');
  } finally {
    await file.close();
  }
}

const readExactly = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
};
