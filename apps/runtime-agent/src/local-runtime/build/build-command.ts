import { packageJson } from '../artefacts/package-json.js';
import { readSmallFile } from '../artefacts/small-file.js';

/**
 * The shell command that builds a source: the owner's, or what a Node.js project usually needs; undefined where nothing
 * has to be done. @throws BuildFailed where its package.json cannot be read.
 */
export const buildCommandFor = async (directory: string, ordered: string | undefined): Promise<string | undefined> => {
  if (ordered !== undefined) return ordered;
  const found = await packageJson(directory);
  if (!found) return undefined;
  const { dependencies = {}, devDependencies = {}, scripts = {} } = found;
  const needsPackages = Object.keys(dependencies).length + Object.keys(devDependencies).length > 0;
  if (!needsPackages && scripts.build === undefined) return undefined;
  const locked = await Promise.all(
    ['package-lock.json', 'npm-shrinkwrap.json'].map(name => readSmallFile(directory, name, 64 * 2 ** 20)),
  );
  const install = locked.some(text => text !== undefined) ? 'npm ci' : 'npm install';
  return `${install} && npm run build --if-present`;
};
