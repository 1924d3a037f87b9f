import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BuildFailed } from '@postern/runtime';

const USUAL_BYTES = 2 ** 20;

/**
 * Reads an untrusted file, in a folder that no other process changes meanwhile. Undefined for anything but a regular
 * file of moderate size: links are not followed, so that the platform's permissions cannot be used to read other
 * files.
 */
export const readSmallFile = (directory: string, name: string, mostBytes = USUAL_BYTES): Promise<string | undefined> =>
  withFile(directory, name, async (file, size) => (size > mostBytes ? undefined : file.readFile('utf8')));

/** Like {@link readSmallFile}, for a file that decides how a project is built. @throws BuildFailed if it is too large. */
export const readManifest = (directory: string, name: string): Promise<string | undefined> =>
  withFile(directory, name, async (file, size) => {
    if (size <= USUAL_BYTES) return withoutByteOrderMark(await file.readFile('utf8'));
    throw new BuildFailed(`${name} is larger than 1 MiB, the maximum size of such a file: make it smaller`);
  });

/** Like {@link readSmallFile}, for the first MiB of a file of any size. */
export const readBeginning = (directory: string, name: string): Promise<string | undefined> =>
  withFile(directory, name, async file =>
    withoutByteOrderMark(await text(file.createReadStream({ end: USUAL_BYTES - 1, autoClose: false }))),
  );

/** Editors of Windows begin files with it. */
const withoutByteOrderMark = (content: string): string => content.replace(/^\uFEFF/, '');

/** Opens a regular file, and no other. @returns undefined if there is none. */
const withFile = async (
  directory: string,
  name: string,
  read: (file: FileHandle, size: number) => Promise<string | undefined>,
): Promise<string | undefined> => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(directory, name), flags).catch(() => undefined);
  try {
    const entry = await file?.stat();
    return file && entry?.isFile() ? await read(file, entry.size) : undefined;
  } finally {
    await file?.close();
  }
};
