import type { Project } from './project.js';

type Files = Pick<Project, 'readBeginning'>;

/** The log line for the submodules of a repository if none are fetched. */
export const submodulesNotFetched = async (project: Files): Promise<readonly string[]> => {
  const names = namesIn(await project.readBeginning('.gitmodules'), /^[ \t]*path[ \t]*=[ \t]*(\S.*)$/gm);
  return names === '' ? [] : [`.gitmodules found: the submodules ${names} are not fetched`];
};

/** The log line for files of Git LFS, which no build fetches. */
export const largeFilesNotFetched = async (project: Files): Promise<readonly string[]> => {
  const names = namesIn(await project.readBeginning('.gitattributes'), /^[ \t]*(\S+)[ \t].*\bfilter=lfs\b/gm);
  return names === '' ? [] : [`.gitattributes found: files of Git LFS (${names}) are not fetched and stay pointers`];
};

const namesIn = (text = '', pattern: RegExp): string =>
  [...text.matchAll(pattern)].map(([, name = '']) => name.trim()).join(', ');
