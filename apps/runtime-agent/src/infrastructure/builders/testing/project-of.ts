import { packageManifest } from '../package-json.js';
import type { Project } from '../project.js';

/** A project in memory. */
export const projectOf = (texts: Readonly<Record<string, string | object>>): Project => {
  const textOf = (path: string): string | undefined => {
    const content = texts[path.replace(/^\.\//, '')];
    return typeof content === 'object' ? JSON.stringify(content) : content;
  };
  return {
    read: async path => textOf(path),
    readBeginning: async path => textOf(path),
    has: async path => textOf(path) !== undefined,
    files: async (folder, depth) =>
      Object.keys(texts)
        .filter(path => folder === '.' || path.startsWith(`${folder}/`))
        .filter(path => path.split('/').length - (folder === '.' ? 0 : folder.split('/').length) <= depth + 1)
        .sort(),
    packageJson: async () => packageManifest(textOf('package.json')),
  };
};
