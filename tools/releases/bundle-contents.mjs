/** What the archive for one server is copied from: the commands and services of this checkout. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';
import { ROOT } from '../setup/prepare.mjs';
import { services } from '../setup/services.mjs';

export const SERVICES = services(ROOT).map(({ name }) => name);
const COMMANDS = [
  'tools/command/dist/main.js',
  'tools/one-server/dist/main.js',
  'tools/one-server/dist/backups/wal-command.js',
];
/** Files that are read instead of imported, by the commands and by the services. */
const READ = [
  'docker/postgres-roles.sh',
  'docker/pg_hba.conf',
  'docker/postfix/Dockerfile',
  'docker/postfix/start',
  'LICENSE',
  'tools/command/package.json',
  'tools/one-server/package.json',
];
const READ_BY_SERVICES = [
  'apps/dashboard/dist',
  'apps/documentation/dist/site',
  'node_modules/@prisma/schema-engine-wasm',
];

export const filesBelow = folder =>
  readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });

const copyInto = (target, path) => {
  const [from, to] = [join(ROOT, path), join(target, path)];
  if (existsSync(to) && !lstatSync(from).isDirectory()) return;
  mkdirSync(dirname(to), { recursive: true });
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else cpSync(from, to, { recursive: true, filter: file => !file.endsWith('.map') });
};

/** The bundled program of each service, the files next to it, and what it loads separately. */
const bundledFiles = service =>
  readdirSync(join(ROOT, 'apps', service, 'dist'))
    .filter(name => /^(bundle|program-)/.test(name) && !/\.map$|^bundle-quick/.test(name))
    .map(name => `apps/${service}/dist/${name}`);

/** The files that programs import. @param options `analysis` also finds files that a program reads. */
const trace = async (entries, options = {}) => {
  const programs = entries.map(entry => join(ROOT, entry));
  return [...(await nodeFileTrace(programs, { base: ROOT, conditions: ['node'], ...options })).fileList];
};

/** Of programs without files that they read, in a tenth of the time. */
const IMPORTS_ONLY = {
  analysis: { emitGlobs: false, computeFileReferences: false, evaluatePureExpressions: false },
};

/** The files that the release of a service consists of, besides its program. */
export const contentsOf = (tree, service) => {
  const { version: release } = JSON.parse(readFileSync(join(tree, 'apps', service, 'package.json'), 'utf8'));
  return [
    `apps/${service}/package.json`,
    `prisma/${service}`,
    // What the release exchanges with the others, which its processes tell and an upgrade compares.
    `libs/contracts/released/${service}@${release}.json`,
  ].filter(path => existsSync(join(tree, path)));
};

/** The commands of this checkout. @returns the files that they consist of */
export const stageCommands = async target => {
  const traced = await trace(COMMANDS);
  for (const path of [...traced, ...READ]) copyInto(target, path);
  return traced;
};

/** The services of this checkout, with one folder for the packages of all. @returns the files that they consist of */
export const stageBuilt = async target => {
  const programs = SERVICES.flatMap(bundledFiles);
  const bundles = programs.filter(path => path.endsWith('.js'));
  const traced = await trace(bundles, IMPORTS_ONLY);
  const contents = SERVICES.flatMap(service => contentsOf(ROOT, service));
  for (const path of [...traced, ...programs, ...contents, ...READ_BY_SERVICES]) copyInto(target, path);
  // A program that is one file still consists of packages.
  return [
    ...traced,
    ...(await trace(
      SERVICES.map(service => `apps/${service}/dist/main.js`),
      IMPORTS_ONLY,
    )),
  ];
};

/** Replaces equal files of several services by links to one. */
export const linkEqualFiles = folder => {
  const first = new Map();
  for (const path of filesBelow(folder).filter(file => !lstatSync(file).isSymbolicLink())) {
    const digest = digestOf(path);
    const known = first.get(digest);
    if (known === undefined) first.set(digest, path);
    else {
      rmSync(path);
      linkSync(known, path);
    }
  }
};

export const digestOf = path => createHash('sha256').update(readFileSync(path)).digest('hex');
