import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Gives a folder a short path, because the path of a Unix socket has at most 107 bytes. The path leads to the same folder even if
 * another one takes its name meanwhile.
 * @throws `the database does not run` if there is no socket on which a server listens.
 */
export const throughFolder = async <Result>(
  folder: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> => {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(asStopped);
  try {
    return await work(`/proc/self/fd/${handle.fd}`).catch(asStopped);
  } finally {
    await handle.close();
  }
};

const asStopped = (error: NodeJS.ErrnoException): never => {
  if (error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED') throw error;
  throw new Error('the database does not run', { cause: error });
};
