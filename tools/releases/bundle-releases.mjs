import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { contentsOf } from './bundle-contents.mjs';
import { Repository } from './registry.mjs';
import { sbomOf } from './signature.mjs';
import { unpackImage } from './unpack-image.mjs';

/** The folder of a released service and its packages in the archive. */
export const releasedTree = (target, service) => join(target, 'services', service);

/** The programs of a service by the names that they have in a build for one server. */
const PROGRAMS = { 'bundle.js': 'main.js', 'bundle-stop-everything.js': 'stop-everything.js' };

/** The services of a set from their images, each with its own packages. @returns the lists of their packages */
export const stageReleased = async (target, { releases, key }, { architecture, log }) => {
  const known = new Set();
  const packages = [];
  for (const release of releases) {
    const { service, version: number, image } = release;
    log(`unpacking ${service}@${number}`);
    const tree = releasedTree(target, service);
    await unpackImage(release, tree, { architecture, key, known });
    packages.push(await sbomOf(new Repository(image.repository), image.digest, key));
    const dist = join(tree, 'apps', service, 'dist');
    for (const [name, program] of Object.entries(PROGRAMS))
      if (existsSync(join(dist, program))) symlinkSync(program, join(dist, name));
    mkdirSync(join(target, 'apps'), { recursive: true });
    symlinkSync(`../services/${service}/apps/${service}`, join(target, 'apps', service));
    for (const path of contentsOf(tree, service).filter(path => path.startsWith('libs/')))
      cpSync(join(tree, path), join(target, path));
  }
  return packages;
};
