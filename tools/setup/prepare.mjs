/**
 * The first step of `npm start` and `npm test`: installs the locked dependencies, then runs the Nx build. Plain JavaScript
 * without dependencies, because it runs on the Node.js that started npm, before node_modules exists.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEnvironment } from './open-programs.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** @type {[number, number]} */
const MINIMUM_NODE = [20, 19];

// Other users run parts of the installed and built files, whatever the umask of the shell is.
process.umask(0o022);

/** The environment of all further processes: the pinned Node.js and the workspace's tools come first in PATH. */
export const toolEnvironment = (extra = {}) => {
  const open = existsSync(join(ROOT, 'node_modules/.bin/node')) ? openEnvironment(ROOT) : {};
  const [first, ...rest] = (open.PATH ?? process.env.PATH ?? '').split(delimiter);
  const tools = join(ROOT, 'node_modules/.bin');
  return {
    ...process.env,
    ...open,
    PATH: (open.PATH ? [first, tools, ...rest] : [tools, first, ...rest]).join(delimiter),
    NX_DAEMON: 'false',
    CHECKPOINT_DISABLE: '1',
    // The compile cache of Node.js: a service starts with a quarter less CPU time.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(ROOT, 'node_modules/.cache/node'),
    ...extra,
  };
};

/**
 * Runs a tool of the workspace until it ends.
 * @throws with the end of its output if it fails, unless its output was inherited.
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

const checkNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])) return;
  throw new Error(`Postern needs Node.js ${MINIMUM_NODE.join('.')} or newer; this is ${process.versions.node}`);
};

/** Whether node_modules contains the locked packages; optional ones of other platforms may be missing. */
const isInstalled = () => {
  const installed = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const packagesOf = file => Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages);
  const present = new Map(packagesOf(installed));
  return packagesOf(join(ROOT, 'package-lock.json'))
    .filter(([path, { link, optional, peer }]) => path.includes('node_modules/') && !link && !optional && !peer)
    .every(([path, { version }]) => present.get(path)?.version === version);
};

/**
 * `npm install`, which uses every version of the lockfile like `npm ci`, but accepts that the registry lacks optional
 * binaries of other platforms. The lockfile is not changed.
 */
const install = async progress => {
  if (isInstalled()) return;
  progress('installing the locked dependencies');
  const lockfile = join(ROOT, 'package-lock.json');
  const locked = readFileSync(lockfile);
  // Postern does not run Prisma's own engines, so they are not downloaded (docs/decisions).
  const env = { PRISMA_SKIP_POSTINSTALL_GENERATE: '1', PRISMA_ENGINES_CHECKSUM_IGNORE_MISSING: '1' };
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { env });
  } finally {
    if (!readFileSync(lockfile).equals(locked)) writeFileSync(lockfile, locked);
  }
};

/** Installs the locked dependencies if they are missing. */
export const bootstrap = async (progress = () => {}) => {
  checkNode();
  await install(progress);
};

/** Prepares the checkout. `progress` gets one line before each step. */
export const prepare = async (progress = (_line = '') => {}) => {
  await bootstrap(progress);
  progress('building');
  // The build of the root project only checks types, of programs that the build of an image does not have.
  await run('nx', ['run-many', '--target', 'build', 'bundle', '--exclude', 'postern']);
};
