/** Gives another tree of the same commit the packages that are installed here, without copying them. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const read = path => JSON.parse(readFileSync(path, 'utf8'));

/** @throws where what is installed is not what the lockfile names. */
const demandLocked = root => {
  const { packages: locked } = read(join(root, 'package-lock.json'));
  const { packages: installed } = read(join(root, 'node_modules/.package-lock.json'));
  const differs = ([path, { link, version, integrity, optional, peer }]) => {
    if (link || !path.includes('node_modules/')) return false;
    const found = installed[path];
    return found ? found.version !== version || found.integrity !== integrity : !optional && !peer;
  };
  const wrong = Object.entries(locked).filter(differs);
  if (wrong.length > 0)
    throw new Error(`${wrong[0][0]} is not installed as package-lock.json names it: run \`npm install\` first`);
};

const linkFolder = (from, to) => {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    // Caches stay behind: they hold what was built here.
    if (name !== '.cache' && name !== '@postern') symlinkSync(join(from, name), join(to, name));
  }
};

/**
 * Links every installed package into `to`; those of the workspace itself lead to the sources in `to`.
 * @throws where what is installed in `from` is not what its lockfile names.
 */
export const linkDependencies = (from, to) => {
  demandLocked(from);
  linkFolder(join(from, 'node_modules'), join(to, 'node_modules'));
  const own = join(from, 'node_modules/@postern');
  mkdirSync(join(to, 'node_modules/@postern'));
  for (const name of readdirSync(own))
    symlinkSync(readlinkSync(join(own, name)), join(to, 'node_modules/@postern', name));
  const nested = Object.keys(read(join(from, 'node_modules/.package-lock.json')).packages).flatMap(
    path => /^((?!node_modules\/).+?\/node_modules)\//.exec(path)?.[1] ?? [],
  );
  for (const folder of new Set(nested)) linkFolder(join(from, folder), join(to, folder));
};
