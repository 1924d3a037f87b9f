/**
 * What `npm start` and `npm test` need before anything of Postern can run: the locked dependencies, the generated
 * Prisma clients, the build and the dashboard's files. Plain JavaScript without dependencies, because it runs on
 * whatever Node.js started npm, before node_modules exists. Each step is skipped while its inputs are what they were.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEnvironment } from './open-programs.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const CACHE = join(ROOT, 'node_modules/.cache/postern');
const MINIMUM_NODE = [20, 19];

// What is installed, built and started must not depend on the mask of whoever starts it: other users run parts of it.
process.umask(0o022);

/** Known once everything is installed. */
let open = {};

/** The environment in which every further process runs: the pinned Node.js and the workspace's tools come first. */
export const toolEnvironment = (extra = {}) => {
  const [first, ...rest] = (open.PATH ?? process.env.PATH ?? '').split(delimiter);
  const tools = join(ROOT, 'node_modules/.bin');
  return {
    ...process.env,
    ...open,
    PATH: (open.PATH ? [first, tools, ...rest] : [tools, first, ...rest]).join(delimiter),
    NX_DAEMON: 'false',
    CHECKPOINT_DISABLE: '1',
    ...extra,
  };
};

/**
 * Runs a tool of the workspace to its end.
 * @throws with the tail of what it printed where it fails, unless its output was inherited.
 */
export const run = (command, args, { env = {}, inherit = false } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: toolEnvironment(env),
      stdio: ['ignore', inherit ? 'inherit' : 'pipe', inherit ? 'inherit' : 'pipe'],
    });
    let printed = '';
    const keep = chunk => {
      printed = (printed + chunk).slice(-8_000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', code =>
      code === 0 ? resolve(printed) : reject(new Error(`${command} ${args.join(' ')} ended with ${code}\n${printed}`)),
    );
  });

const digestOf = files => {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('hex');
};

/** Does `work` unless it was done for the very same inputs before and its result is still there. */
const onceFor = async (name, inputs, result, work) => {
  const stamp = join(CACHE, name);
  const digest = `${digestOf(inputs)} ${process.platform}-${process.arch}`;
  if (existsSync(join(ROOT, result)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  await work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
};

const checkNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])) return;
  throw new Error(`Postern needs Node.js ${MINIMUM_NODE.join('.')} or newer; this is ${process.versions.node}`);
};

/**
 * `npm install`, which takes every version from the lockfile as `npm ci` does, but does not insist on entries for the
 * optional binaries of platforms that the registry in reach does not serve. The lockfile stays as it was.
 */
const install = () =>
  onceFor('installed', ['package-lock.json'], 'node_modules/.bin/tsc', async () => {
    const lockfile = join(ROOT, 'package-lock.json');
    const locked = readFileSync(lockfile);
    // Nothing of Prisma's own engines is ever run, so nothing of theirs is fetched either (docs/decisions).
    const env = { PRISMA_SKIP_POSTINSTALL_GENERATE: '1', PRISMA_ENGINES_CHECKSUM_IGNORE_MISSING: '1' };
    try {
      await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { env });
    } finally {
      if (!readFileSync(lockfile).equals(locked)) writeFileSync(lockfile, locked);
    }
  });

const generate = async () => {
  const services = readdirSync(join(ROOT, 'prisma')).filter(name =>
    existsSync(join(ROOT, 'prisma', name, 'schema.prisma')),
  );
  for (const service of services) {
    const schema = `prisma/${service}/schema.prisma`;
    await onceFor(`generated-${service}`, [schema, 'package-lock.json'], `apps/${service}/src/generated/prisma`, () =>
      run('prisma', ['generate', '--schema', schema], { env: { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' } }),
    );
  }
};

const build = () => run('tsc', ['-b']);

const filesBelow = folder =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap(entry => (entry.isDirectory() ? filesBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .sort();

const DASHBOARD = 'apps/dashboard';

const buildDashboard = () =>
  onceFor(
    'dashboard',
    [
      'package-lock.json',
      ...['index.html', 'package.json', 'vite.config.ts'].map(file => `${DASHBOARD}/${file}`),
      ...filesBelow(`${DASHBOARD}/public`),
      ...filesBelow(`${DASHBOARD}/src`),
    ],
    `${DASHBOARD}/dist/index.html`,
    () => run('npm', ['run', 'build', '-w', '@postern/dashboard']),
  );

/** Makes the checkout ready to run. `progress` gets one line before each step. */
export const prepare = async (progress = () => {}) => {
  checkNode();
  progress('installing the locked dependencies');
  await install();
  open = openEnvironment(ROOT);
  progress('generating the database clients');
  await generate();
  progress('building');
  await build();
  await buildDashboard();
};
