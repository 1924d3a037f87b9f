/** A path relative to the repository, from one that is relative to `folder`; undefined if it leads out. */
export const pathInRepository = (folder: string, path: string): string | undefined => {
  if (path.startsWith('/') || path.startsWith('~')) return undefined;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
};

/** Whether a path is a folder, or is in it. */
export const isInFolder = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);
