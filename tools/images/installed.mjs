import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages of other platforms, which a registry may lack; `npm ci` refuses a lockfile without them. */
const mayBeMissing = ({ optional, peer, link }) => Boolean(optional || peer || link);

/** What differs between the packages that are installed and those that are locked. */
export const differences = (locked, installed) => {
  const places = packages => Object.keys(packages).filter(place => place.includes('node_modules/'));
  const wrong = places(installed)
    .filter(place => !installed[place].link)
    .filter(place => ['version', 'integrity'].some(field => locked[place]?.[field] !== installed[place][field]));
  const missing = places(locked).filter(place => !installed[place] && !mayBeMissing(locked[place]));
  const unverified = places(installed).filter(place => !installed[place].link && !installed[place].integrity);
  return [
    ...wrong.map(place => `${place} is not the locked package`),
    ...missing.map(place => `${place} is not installed`),
    ...unverified.map(place => `${place} has no checksum`),
  ];
};

/** `node tools/images/installed.mjs <folder>`: fails unless exactly the locked packages are installed. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = '.'] = process.argv.slice(2);
  const packagesIn = path => JSON.parse(readFileSync(join(folder, path), 'utf8')).packages;
  const found = differences(packagesIn('package-lock.json'), packagesIn('node_modules/.package-lock.json'));
  for (const line of found) console.error(line);
  if (found.length > 0) process.exit(1);
}
