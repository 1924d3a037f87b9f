/** Debian packages of a node, unpacked beside the machine's own and never installed. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_CACHE } from './settings.mjs';

const PACKAGES = [
  'runc',
  'containernetworking-plugins',
  'conntrack',
  'libnetfilter-conntrack3',
  'libnfnetlink0',
  'iptables',
  'libip4tc2',
  'libip6tc2',
  'libnftnl11',
  'libxtables12',
  'libmnl0',
  'libseccomp2',
  'debootstrap',
  'docker-registry',
  'rootlesskit',
  'uidmap',
  'libsubid4',
];
/** Debian makes these links when it installs iptables. */
const IPTABLES = ['iptables', 'iptables-save', 'iptables-restore', 'ip6tables', 'ip6tables-save', 'ip6tables-restore'];

const unpack = folder => {
  const archives = join(folder, 'archives');
  mkdirSync(archives, { recursive: true });
  try {
    // By default downloads run as the user _apt, which has no write permission here.
    execFileSync('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...PACKAGES], {
      cwd: archives,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw new Error(`apt-get could not download packages; \`apt-get update\` may help:\n${error.stderr}`);
  }
  for (const archive of readdirSync(archives)) execFileSync('dpkg', ['-x', join(archives, archive), folder]);
  rmSync(archives, { recursive: true });
  for (const name of IPTABLES) symlinkSync('xtables-nft-multi', join(folder, 'usr/sbin', name));
};

const KEY = createHash('sha256').update(PACKAGES.join()).digest('hex').slice(0, 16);
const FOLDER = join(NODE_CACHE, `debian-${KEY}`);

export const arePackagesCached = () => existsSync(FOLDER);

/** @returns {string} the folder under which the packages are unpacked. */
export const debianPackages = () => {
  const folder = FOLDER;
  if (arePackagesCached()) return folder;
  console.log('unpacking Debian packages');
  const unfinished = `${folder}.${process.pid}`;
  try {
    unpack(unfinished);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
};

/** Environment variables for programs of the packages, and for programs that call them. */
export const environmentOf = (folder, programFolders) => ({
  PATH: [...programFolders, `${folder}/usr/sbin`, `${folder}/usr/bin`, '/usr/sbin:/usr/bin:/sbin:/bin'].join(':'),
  LD_LIBRARY_PATH: `${folder}/usr/lib/x86_64-linux-gnu:${folder}/lib/x86_64-linux-gnu`,
  XTABLES_LIBDIR: `${folder}/usr/lib/x86_64-linux-gnu/xtables`,
});
