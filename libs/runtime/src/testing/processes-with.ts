import { readdir, readFile, readlink, stat } from 'node:fs/promises';

/** The running processes with this working directory, or with this text in their environment. */
export const processesWith = async (found: {
  readonly folder?: string;
  readonly variable?: string;
}): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  const matches = await Promise.all(pids.map(pid => fits(pid, found).catch(() => false)));
  return pids.filter((_, index) => matches[index]);
};

/** In another mount namespace, the folder has another path. */
const worksIn = async (pid: number, folder: string): Promise<boolean> => {
  const place = await readlink(`/proc/${pid}/cwd`);
  if (place === folder || place === `${folder} (deleted)`) return true;
  const [own, wanted] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(folder)]);
  return own.dev === wanted.dev && own.ino === wanted.ino;
};

const fits = async (
  pid: number,
  { folder, variable }: { readonly folder?: string; readonly variable?: string },
): Promise<boolean> => {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8');
  if (state.slice(state.lastIndexOf(')') + 2).startsWith('Z')) return false;
  if (folder !== undefined) {
    if (!(await worksIn(pid, folder))) return false;
  }
  if (variable === undefined) return true;
  return (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').some(each => each.includes(variable));
};
