import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const USUAL_BYTES = 2 ** 20;

/**
 * A file that somebody else has made, in a folder that nobody changes meanwhile. Undefined for anything but a plain
 * file of moderate size: links are not followed, so that nobody reads with our eyes what is not theirs.
 */
export const readSmallFile = async (
  directory: string,
  name: string,
  mostBytes = USUAL_BYTES,
): Promise<string | undefined> => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(directory, name), flags).catch(() => undefined);
  try {
    const entry = await file?.stat();
    if (!file || !entry?.isFile() || entry.size > mostBytes) return undefined;
    return await file.readFile('utf8');
  } finally {
    await file?.close();
  }
};
