/** The programs and packages of the archive for one server that differ between architectures. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { npmFolder } from '../setup/npm-folder.mjs';
import { filesBelow } from './bundle-contents.mjs';

/** By their names in Node.js. */
export const ARCHITECTURES = ['x64', 'arm64'];
/** The programs of binutils for each. */
const STRIP = { x64: 'x86_64-linux-gnu-strip', arm64: 'aarch64-linux-gnu-strip' };

/** Installs a package of npm for any architecture. @returns what `use` makes of its folder */
const withPackage = (name, version, use) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-package-'));
  try {
    const one = ['--no-save', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
    execFileSync('npm', ['install', ...one, `${name}@${version}`], { stdio: ['ignore', 'ignore', 'inherit'] });
    return use(join(folder, 'node_modules', name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Removes debug symbols. */
const strip = (program, architecture) => {
  try {
    execFileSync(STRIP[architecture], ['--strip-unneeded', program]);
  } catch {
    console.log(`${STRIP[architecture]} (binutils) is missing: the archive is larger`);
  }
};

/** Node.js of the release that this repository uses, and the npm that builds of web services use. */
export const stageNode = (target, architecture) => {
  const bin = join(target, 'node/bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'node');
  if (architecture === process.arch) copyFileSync(realpathSync(process.execPath), program);
  else
    withPackage(`node-linux-${architecture}`, process.versions.node, folder =>
      copyFileSync(join(folder, 'bin/node'), program),
    );
  chmodSync(program, 0o755);
  strip(program, architecture);
  cpSync(npmFolder(), join(target, 'node/lib/node_modules/npm'), {
    recursive: true,
    filter: path => !/npm\/(docs|man)(\/|$)/.test(path),
  });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
};

/** @returns the release of nats-server */
export const stageNats = async (target, { architecture, log }) => {
  const { buildNatsServer, findNatsServer } = await import('@postern/testing');
  const program = join(target, 'bin/nats-server');
  mkdirSync(dirname(program), { recursive: true });
  if (architecture !== process.arch) return await buildNatsServer(architecture, program);
  const { path, version } = await findNatsServer({ version: '2.12', onProgress: log });
  copyFileSync(path, program);
  chmodSync(program, 0o755);
  strip(program, architecture);
  return version;
};

/**
 * Replaces packages of another architecture, such as that of Argon2, by the same release for this one.
 * @throws if a package has no name of the architecture in its own
 */
export const replacePackages = (target, architecture) => {
  const folders = filesBelow(target)
    .filter(path => path.endsWith('/package.json'))
    .filter(path => {
      const { cpu } = JSON.parse(readFileSync(path, 'utf8'));
      return Array.isArray(cpu) && !cpu.includes(architecture);
    })
    .map(dirname);
  for (const folder of folders) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [wanted, path] = [name, folder].map(text =>
      text.replace(/-x64(?=[^/]*$)|-arm64(?=[^/]*$)/, `-${architecture}`),
    );
    if (wanted === name) throw new Error(`${name} is not for ${architecture}`);
    rmSync(folder, { recursive: true });
    withPackage(wanted, version, found => cpSync(found, path, { recursive: true }));
  }
};
