import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file in the data folder of a database, in which its server can place links. Undefined if the file does not exist.
 * @throws if the file does not belong to the user of the database.
 */
export const openOwn = async (path: string, uid: number | undefined): Promise<FileHandle | undefined> => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return undefined;
  const found = await file.stat();
  if (found.isFile() && (uid === undefined || found.uid === uid)) return file;
  await file.close();
  throw new Error('a file of the database belongs to another user');
};
