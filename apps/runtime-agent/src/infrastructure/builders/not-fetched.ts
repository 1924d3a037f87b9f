import type { Project } from './project.js';

/** What a repository refers to and does not hold, for the build log. */
export const notFetched = async (project: Pick<Project, 'read'>): Promise<readonly string[]> => {
  const submodules = [...((await project.read('.gitmodules')) ?? '').matchAll(/^\s*path\s*=\s*(\S.*)$/gm)];
  const lfs = [...((await project.read('.gitattributes')) ?? '').matchAll(/^\s*(\S+)\s.*\bfilter=lfs\b/gm)];
  const names = (matches: readonly RegExpMatchArray[]) => matches.map(([, name = '']) => name.trim()).join(', ');
  return [
    ...(submodules.length > 0 ? [`.gitmodules found: the submodules ${names(submodules)} are not fetched`] : []),
    ...(lfs.length > 0
      ? [`.gitattributes found: files of Git LFS (${names(lfs)}) are not fetched and stay pointers`]
      : []),
  ];
};
