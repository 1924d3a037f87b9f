import { type FileHandle, open } from 'node:fs/promises';
import { ignoreMissing } from './ignore-missing.js';

const BLOCK_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/** A line of a file, and the byte offset at which it begins. */
export interface PlacedText {
  readonly text: string;
  readonly start: number;
}

/**
 * Yields the complete lines of a file from last to first. A last line without a line end is skipped: it is still being
 * written, or torn.
 */
export async function* linesFromTheEnd(path: string): AsyncGenerator<PlacedText> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (!file) return;
  try {
    let position = (await file.stat()).size;
    // The part read so far of the current line; undefined until a line end was found.
    let rest: Buffer[] | undefined;
    while (position > 0) {
      const start = Math.max(0, position - BLOCK_BYTES);
      const block = await readExactly(file, start, position - start);
      position = start;
      let end = block.length;
      for (let at = block.lastIndexOf(LINE_END); at !== -1; at = at === 0 ? -1 : block.lastIndexOf(LINE_END, at - 1)) {
        const text = rest && Buffer.concat([block.subarray(at + 1, end), ...rest]).toString('utf8');
        if (text !== undefined) yield { text, start: start + at + 1 };
        rest = [];
        end = at;
      }
      rest?.unshift(block.subarray(0, end));
    }
    if (rest) yield { text: Buffer.concat(rest).toString('utf8'), start: 0 };
  } finally {
    await file.close();
  }
}

/** Yields the complete lines of a file from a byte offset on, each with the offset after its line end. */
export async function* linesFrom(path: string, start: number): AsyncGenerator<{ text: string; end: number }> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (!file) return;
  try {
    let rest: Buffer[] = [];
    let position = start;
    for (;;) {
      const block = await readExactly(file, position, BLOCK_BYTES);
      if (block.length === 0) return;
      let from = 0;
      for (let at = block.indexOf(LINE_END); at !== -1; at = block.indexOf(LINE_END, from)) {
        yield {
          text: Buffer.concat([...rest, block.subarray(from, at)]).toString('utf8'),
          end: position + at + 1,
        };
        rest = [];
        from = at + 1;
      }
      rest.push(block.subarray(from));
      position += block.length;
    }
  } finally {
    await file.close();
  }
}

const readExactly = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
};
