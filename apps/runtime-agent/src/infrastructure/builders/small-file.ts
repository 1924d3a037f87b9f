import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const USUAL_BYTES = 2 ** 20;

/**
 * Reads an untrusted file, in a folder that no other process changes meanwhile. Undefined for anything but a regular
 * file of moderate size: links are not followed, so that the platform's permissions cannot be used to read other
 * files.
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
