/** A tree of Debian 12 with the packages of docs/install.md, built once and kept in a cache. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from './documented.mjs';

const CACHE = process.env.POSTERN_PRODUCTION_CACHE ?? join(homedir(), '.cache/postern-production');
const RELEASE = 'bookworm';

const run = (program, args) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Of docs/install.md, rclone for backups in a bucket, and a clock that can be moved. */
const packages = () => [...installPackages(), 'rclone', 'libfaketime'].join(' ');

export const treeFolder = () => join(CACHE, RELEASE);
const complete = () => join(treeFolder(), 'complete');
/** Whether there is a tree with the packages of today. */
export const isCached = () => existsSync(complete()) && readFileSync(complete(), 'utf8') === packages();

/** @returns the folder of the tree, which must not be changed. */
export const preparedTree = log => {
  const tree = treeFolder();
  if (isCached()) return tree;
  const building = `${tree}.building`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  log(`building a tree of Debian ${RELEASE} in ${tree}`);
  const source = process.env.POSTERN_DEBIAN_MIRROR ? [process.env.POSTERN_DEBIAN_MIRROR] : [];
  run('debootstrap', [
    '--variant=minbase',
    '--include=systemd,systemd-sysv,dbus,ca-certificates,iproute2,procps',
    RELEASE,
    building,
    ...source,
  ]);
  // Packages must not start their services in a chroot.
  writeFileSync(join(building, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const inside = command =>
    run('chroot', [
      building,
      '/usr/bin/env',
      'DEBIAN_FRONTEND=noninteractive',
      'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
      'sh',
      '-ec',
      command,
    ]);
  log('installing the packages of docs/install.md');
  inside(`apt-get update -qq && apt-get install -y -qq ${packages()}`);
  rmSync(join(building, 'usr/sbin/policy-rc.d'));
  rmSync(join(building, 'etc/resolv.conf'), { force: true });
  writeFileSync(join(building, 'complete'), packages());
  rmSync(tree, { recursive: true, force: true });
  renameSync(building, tree);
  return tree;
};

const MOTO = 'moto[s3,server]==5.2.5';

/** An S3 server of PyPI, installed once. @returns its program. */
export const preparedStorageServer = log => {
  const folder = join(CACHE, MOTO);
  const program = join(folder, 'bin/moto_server');
  if (existsSync(join(folder, 'complete'))) return program;
  log(`installing ${MOTO} in ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  run(join(folder, 'bin/pip'), ['install', '--quiet', MOTO]);
  writeFileSync(join(folder, 'complete'), '');
  return program;
};
