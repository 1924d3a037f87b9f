import type { Readable } from 'node:stream';

const LINE_BREAK = 10;
/** A longer line is forwarded in parts. */
const LONGEST_LINE_BYTES = 1024 * 1024;

/**
 * Forwards the output of a process in complete lines, all lines of a chunk at once and without copying: a service under
 * load writes thousands of lines per second. A last line without a line break gets one.
 */
export const readWholeLines = (output: Readable, take: (lines: readonly Buffer[]) => void): void => {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  const takeWith = (end: Buffer) => {
    const lines = [...begun, end];
    begun = [];
    begunBytes = 0;
    take(lines);
  };
  const keep = (chunk: Buffer) => {
    begun.push(chunk);
    begunBytes += chunk.length;
    if (begunBytes > LONGEST_LINE_BYTES) takeWith(Buffer.from('\n'));
  };
  output.on('data', (chunk: Buffer) => {
    const length = chunk.lastIndexOf(LINE_BREAK) + 1;
    if (length > 0) takeWith(chunk.subarray(0, length));
    if (length < chunk.length) keep(chunk.subarray(length));
  });
  output.on('end', () => {
    if (begunBytes > 0) takeWith(Buffer.from('\n'));
  });
};
