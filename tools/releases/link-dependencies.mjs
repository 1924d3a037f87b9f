/** Links the installed packages into another tree of the same commit. */
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const read = path => JSON.parse(readFileSync(path, 'utf8'));

/** @throws if the installed packages differ from the lockfile. */
const assertLocked = root => {
  const { packages: locked } = read(join(root, 'package-lock.json'));
  const { packages: installed } = read(join(root, 'node_modules/.package-lock.json'));
  const differs = ([path, { link, version, integrity, optional, peer }]) => {
    if (link || !path.includes('node_modules/')) return false;
    const found = installed[path];
    return found ? found.version !== version || found.integrity !== integrity : !optional && !peer;
  };
  const wrong = Object.entries(locked).filter(differs);
  if (wrong.length > 0)
    throw new Error(`${wrong[0][0]} is not installed as in package-lock.json. Run \`npm install\` first.`);
};

const linkFolder = (from, to) => {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    // Caches contain build output of this checkout.
    if (name !== '.cache' && name !== '@postern') symlinkSync(join(from, name), join(to, name));
  }
};

/**
 * Links every installed package of `from` into `to`; workspace packages point to the sources in `to`.
 * @throws if the installed packages of `from` differ from its lockfile.
 */
export const linkDependencies = (from, to) => {
  assertLocked(from);
  linkFolder(join(from, 'node_modules'), join(to, 'node_modules'));
  // Installed servers, such as NATS.
  const programs = 'node_modules/.cache/postern';
  if (existsSync(join(from, programs))) {
    mkdirSync(join(to, dirname(programs)));
    symlinkSync(realpathSync(join(from, programs)), join(to, programs));
  }
  const own = join(from, 'node_modules/@postern');
  mkdirSync(join(to, 'node_modules/@postern'));
  for (const name of readdirSync(own))
    symlinkSync(readlinkSync(join(own, name)), join(to, 'node_modules/@postern', name));
  const nested = Object.keys(read(join(from, 'node_modules/.package-lock.json')).packages).flatMap(
    path => /^((?!node_modules\/).+?\/node_modules)\//.exec(path)?.[1] ?? [],
  );
  for (const folder of new Set(nested)) linkFolder(join(from, folder), join(to, folder));
};
