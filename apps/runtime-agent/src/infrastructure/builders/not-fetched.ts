import type { Project } from './project.js';

type Files = Pick<Project, 'read'>;

/** The log line for the submodules of a repository if none are fetched. */
export const submodulesNotFetched = async (project: Files): Promise<readonly string[]> => {
  const names = namesIn(await project.read('.gitmodules'), /^\s*path\s*=\s*(\S.*)$/gm);
  return names === '' ? [] : [`.gitmodules found: the submodules ${names} are not fetched`];
};

/** The log line for files of Git LFS, which no build fetches. */
export const largeFilesNotFetched = async (project: Files): Promise<readonly string[]> => {
  const names = namesIn(await project.read('.gitattributes'), /^\s*(\S+)\s.*\bfilter=lfs\b/gm);
  return names === '' ? [] : [`.gitattributes found: files of Git LFS (${names}) are not fetched and stay pointers`];
};

const namesIn = (text = '', pattern: RegExp): string =>
  [...text.matchAll(pattern)].map(([, name = '']) => name.trim()).join(', ');
