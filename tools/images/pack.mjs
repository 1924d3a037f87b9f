/**
 * `node tools/images/pack.mjs <app> <folder>`: copies only the files that the app needs at run time, by tracing the imports
 * of its entry points, and lists their packages in `sbom.cdx.json`.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFileTrace } from '@vercel/nft';
import { describeImage } from './sbom.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Programs in addition to `main.js`, and files that are read instead of imported. */
const BESIDE = {
  'api-gateway': {
    entries: [],
    files: ['apps/dashboard/dist', 'apps/documentation/dist/site', 'apps/documentation/dist/packages'],
  },
  'runtime-agent': {
    entries: ['stop-everything.js'],
    files: ['image-build', 'image-push', 'static-server'].map(name => `apps/runtime-agent/dist/program-${name}.js`),
  },
};

const [app, target] = process.argv.slice(2);
if (!app || !target || !existsSync(join(ROOT, 'apps', app, 'dist/main.js')))
  throw new Error('usage: node tools/images/pack.mjs <built app> <folder>');

const { entries = [], files = [] } = BESIDE[app] ?? {};
/** The `postern` command is part of every image, because containers have the NATS credentials. */
const COMMAND = 'tools/command/dist/main.js';
const programs = [...['main.js', ...entries].map(entry => join(ROOT, 'apps', app, 'dist', entry)), join(ROOT, COMMAND)];
// Export conditions `import` and `require` are selected by the type of each module.
const { fileList } = await nodeFileTrace(programs, { base: ROOT, conditions: ['node'] });

let bytes = 0;
const copy = path => {
  const [from, to] = [join(ROOT, path), join(target, path)];
  // The directory may already exist if a traced file is in it.
  if (existsSync(to) && !lstatSync(from).isDirectory()) return;
  mkdirSync(dirname(to), { recursive: true });
  if (lstatSync(from).isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
    return;
  }
  cpSync(from, to, { recursive: true });
  bytes += statSync(from).size;
};

// The migration engine is resolved by name at run time, so tracing does not find it.
const migrations = existsSync(join(ROOT, 'prisma', app))
  ? [`prisma/${app}`, 'node_modules/@prisma/schema-engine-wasm']
  : [];
// The contract of the release, which the process shows to others; an image of an unreleased checkout has none.
const { version } = JSON.parse(readFileSync(join(ROOT, 'apps', app, 'package.json'), 'utf8'));
const contract = [`libs/contracts/released/${app}@${version}.json`].filter(path => existsSync(join(ROOT, path)));
const manifests = [`apps/${app}/package.json`, 'tools/command/package.json'];
const paths = [...fileList, ...files, ...manifests, ...migrations, ...contract];
for (const path of paths) copy(path);
const sbom = await describeImage(ROOT, app, paths);
writeFileSync(join(target, 'sbom.cdx.json'), JSON.stringify(sbom, null, 2));
console.log(`${app}: ${fileList.size} files, ${(bytes / 1e6).toFixed(1)} MB, ${sbom.components.length} components`);
