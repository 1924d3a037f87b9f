import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The plan files of a service. @throws if a file plans several services, which are released separately. */
export const plansOf = (root, service) => {
  const folder = join(root, '.nx/version-plans');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.name.endsWith('.md'));
  return files.flatMap(({ name }) => {
    const path = join(folder, name);
    const front = readFileSync(path, 'utf8').split(/^---\s*$/m)[1] ?? '';
    const named = front.split('\n').flatMap(line => /^['"]?([\w-]+)['"]?\s*:/.exec(line)?.[1] ?? []);
    if (!named.includes(service)) return [];
    if (named.length > 1) throw new Error(`${name} plans ${named.join(' and ')}. Write one plan per service.`);
    return [path];
  });
};

/**
 * The released packages that a service depends on and that have unreleased changes. A package published before them would
 * be installed with their old versions.
 */
export const unreleasedDependencies = (root, folder, released) => {
  const read = path => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const { dependencies = {} } = read(folder);
  const folders = readdirSync(join(root, 'libs')).map(name => `libs/${name}`);
  return folders
    .filter(path => existsSync(join(root, path, 'package.json')))
    .map(read)
    .filter(({ name, nx }) => dependencies[name] !== undefined && released.includes(nx?.name))
    .map(({ nx }) => nx.name)
    .filter(name => plansOf(root, name).length > 0);
};
