import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The lockfile path of a file's package, `node_modules/zod` or `libs/mail`; undefined if it is in none. */
const placeOf = (file, places) => {
  const parts = file.split('/');
  for (let length = parts.length; length > 0; length--) {
    const place = parts.slice(0, length).join('/');
    if (places.has(place)) return place;
  }
  return undefined;
};

const nameOf = (place, { name }) => name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** `name@version` of each locked package that has one of these files. */
export const packagesOf = (files, lockfile) => {
  const places = new Map(Object.entries(lockfile.packages).filter(([place, { link }]) => place !== '' && !link));
  const found = new Set([...files].map(file => placeOf(file, places)).filter(place => place !== undefined));
  return new Set([...found].map(place => `${nameOf(place, places.get(place))}@${places.get(place).version}`));
};

/**
 * The part of a CycloneDX document about some packages, with the Node.js that runs them.
 * @throws if a package is missing in the document.
 */
export const sbomOf = (document, packages, { app, version, node }) => {
  const components = document.components.filter(component => packages.has(component['bom-ref']));
  const described = new Set(components.map(component => component['bom-ref']));
  const missing = [...packages].filter(name => !described.has(name));
  if (missing.length > 0) throw new Error(`npm sbom does not describe ${missing.join(', ')}`);
  const dependencies = document.dependencies
    .filter(({ ref }) => described.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(name => described.has(name)) }));
  const runtime = {
    type: 'platform',
    'bom-ref': `node@${node}`,
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
  };
  return {
    ...document,
    metadata: {
      ...document.metadata,
      component: { type: 'application', 'bom-ref': `image:${app}`, name: `postern/${app}`, version },
    },
    components: [...components, runtime],
    dependencies: [{ ref: `image:${app}`, dependsOn: [...described, runtime['bom-ref']] }, ...dependencies],
  };
};

/** The CycloneDX document of an image, from `npm sbom` and the files that the image contains. */
export const describeImage = async (root, app, files) => {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  const read = path => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { version } = read(`apps/${app}/package.json`);
  const packages = packagesOf(files, read('package-lock.json'));
  return sbomOf(JSON.parse(stdout), packages, { app, version, node: process.versions.node });
};
