#!/usr/bin/env node
/**
 * `npm run production [-- [--bundle <archive>] [--next <archive>] [check …]]`: installs a bundle on a real systemd, in a container of
 * the system with a network of its own, by the commands of docs/install.md, and checks what an administrator relies on. Needs
 * root and the packages debootstrap, systemd-container and caddy. The tree of Debian is built once (README.md).
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connectNetworks, disconnectNetworks, INTERNET } from './machine.mjs';
import { releasedArchives } from './released.mjs';
import { isCached, preparedStorageServer, preparedTree } from './tree.mjs';

const ROOT = join(import.meta.dirname, '../../..');
const log = line => console.log(line);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundle: { type: 'string' },
    next: { type: 'string' },
    'if-cached': { type: 'boolean' },
    keep: { type: 'boolean' },
  },
});

const fail = message => {
  console.error(message);
  process.exit(1);
};

/** A run of all checks does this one where it can. */
const skip = reason => {
  log(`The installation on one server was not checked: ${reason}.`);
  process.exit(0);
};

if (values['if-cached'] && !isCached()) skip('there is no tree of Debian yet (npm run production builds it)');
if (process.getuid?.() !== 0) fail('npm run production needs root.');
for (const program of ['debootstrap', 'systemd-nspawn', 'caddy', 'nsenter', 'zstd'])
  if (!['/usr/bin', '/usr/sbin', '/bin', '/sbin'].some(folder => existsSync(join(folder, program))))
    (values['if-cached'] ? skip : fail)(
      `${program} is missing: apt-get install debootstrap systemd-container caddy util-linux zstd`,
    );

const folderOfArchives = join(ROOT, 'node_modules/.cache/postern-bundles');

/** The archive of a version, built from this checkout. */
const builtArchive = version => {
  const bundle = join(ROOT, 'tools/releases/bundle.mjs');
  execFileSync(process.execPath, [bundle, version, folderOfArchives], { stdio: 'inherit', cwd: ROOT });
  return join(folderOfArchives, `postern-${version}-linux-${process.arch}.tar.zst`);
};

/** The installed archive, and that of the set to which the check released-sets upgrades, if this check was named. */
const archivesOf = async () => {
  const given = [values.bundle, values.next].filter(each => each !== undefined).map(each => resolve(each));
  if (given.length > 0) return given;
  if (!positionals.includes('released-sets')) return [builtArchive('2026.11.0')];
  return releasedArchives(folderOfArchives, log);
};

const tree = preparedTree(log);
// The network of the checks reaches no registry.
const needsStorage = positionals.length === 0 || positionals.includes('bucket');
const storageServer = needsStorage ? preparedStorageServer(log) : undefined;
const archives = await archivesOf();
const folder = mkdtempSync(join(ROOT, 'node_modules/.cache/postern-production-'));
connectNetworks();
// Only the network changes: `ip netns exec` would hide the control groups, which systemd-nspawn needs.
const child = spawn(
  'nsenter',
  [
    `--net=/run/netns/${INTERNET.namespace}`,
    process.execPath,
    join(import.meta.dirname, 'acceptance.mjs'),
    JSON.stringify({ tree, storageServer, folder, archives, wanted: positionals, keep: values.keep === true }),
  ],
  { stdio: 'inherit', cwd: ROOT },
);
child.on('close', code => {
  if (values.keep) process.exit(code ?? 1);
  disconnectNetworks();
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});
