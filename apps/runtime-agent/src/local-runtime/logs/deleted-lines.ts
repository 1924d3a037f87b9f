import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from './ignore-missing.js';

const LINE_END = 0x0a;

/** The file in the folder of a log with the number of lines that were deleted from it. */
const DELETED = 'deleted-lines';

let adding: Promise<unknown> = Promise.resolve();

/** Calls within a process are serialized; only the process that writes a log deletes from it. */
export const addDeletedLines = (folder: string, lines: number): Promise<void> => {
  const added = adding.then(async () => writeFile(join(folder, DELETED), String((await deletedLines(folder)) + lines)));
  adding = added.catch(() => undefined);
  return added;
};

/** How many lines were deleted from the log since it began. */
export const deletedLines = async (folder: string): Promise<number> =>
  Number((await readFile(join(folder, DELETED), 'utf8').catch(ignoreMissing)) ?? 0) || 0;

/** The line ends of a part of a file; `end` is inclusive. 0 for a missing file. */
export const lineEndsIn = async (path: string, part: { start?: number; end?: number } = {}): Promise<number> => {
  let lines = 0;
  try {
    for await (const block of createReadStream(path, { ...part, highWaterMark: 256 * 1024 }))
      for (let at = block.indexOf(LINE_END); at !== -1; at = block.indexOf(LINE_END, at + 1)) lines += 1;
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException);
  }
  return lines;
};
