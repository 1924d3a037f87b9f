/** Base layers of every image: Debian, and Node.js from the workspace. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { npmFolder } from '../../../../tools/setup/npm-folder.mjs';
import { ROOT } from '../../tools.mjs';
import { layer } from './layers.mjs';

const SUITE = 'bookworm';
const INCLUDED = ['ca-certificates', 'git', 'procps'];
const EMPTIED = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists'];
/** Users that the charts and rootless BuildKit refer to by UID. */
const USERS = { postgres: 999, user: 1_000 };

const emptyFolders = content => {
  for (const folder of EMPTIED)
    for (const entry of readdirSync(join(content, folder)))
      rmSync(join(content, folder, entry), { recursive: true, force: true });
  mkdirSync(join(content, 'var/lib/apt/lists/partial'));
  mkdirSync(join(content, 'var/cache/apt/archives/partial'), { recursive: true });
};

/** Debian without documentation. */
export const debianLayer = debian =>
  layer('debian', [SUITE, ...INCLUDED].join('-'), content => {
    const program = `${debian}/usr/sbin/debootstrap`;
    // In a mount namespace, because debootstrap mounts /proc in the new system.
    const args = ['--mount', program, '--variant=minbase', `--include=${INCLUDED.join()}`, SUITE, content];
    const env = { ...process.env, DEBOOTSTRAP_DIR: `${debian}/usr/share/debootstrap` };
    execFileSync('unshare', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    emptyFolders(content);
  });

/** The users of images that are not built by docker/Dockerfile. */
export const usersLayer = async debian => {
  const base = await debianLayer(debian);
  return layer('users', JSON.stringify(USERS).replace(/\W+/g, '-'), content => {
    mkdirSync(join(content, 'etc'));
    const add = (file, line) => {
      const usual = execFileSync('tar', ['-xOf', base, `./etc/${file}`], { encoding: 'utf8' });
      writeFileSync(join(content, 'etc', file), usual + Object.entries(USERS).map(line).join(''));
    };
    add('passwd', ([name, id]) => `${name}:x:${id}:${id}::/home/${name}:/bin/sh\n`);
    add('group', ([name, id]) => `${name}:x:${id}:\n`);
  });
};

/** Debian with an additional package. */
export const debianLayerWith = async (debian, packageName) => {
  const base = await debianLayer(debian);
  return layer(`debian-${packageName}`, SUITE, content => {
    execFileSync('tar', ['--numeric-owner', '-C', content, '-xf', base]);
    copyFileSync('/etc/resolv.conf', join(content, 'etc/resolv.conf'));
    const install = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${packageName}`;
    execFileSync('chroot', [content, 'sh', '-c', install], { stdio: ['ignore', 'ignore', 'inherit'] });
    emptyFolders(content);
  });
};

/** Node.js without debug symbols, as in docker/Dockerfile, and npm. */
export const nodeLayer = () => {
  const program = realpathSync(join(ROOT, 'node_modules/node/bin/node'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/node/package.json'), 'utf8'));
  const key = createHash('sha256').update(version).update(npmFolder()).digest('hex').slice(0, 16);
  return layer('node', key, content => {
    const local = name => join(content, 'usr/local', name);
    for (const name of ['bin', 'lib/node_modules']) mkdirSync(local(name), { recursive: true });
    execFileSync('strip', ['--strip-unneeded', '-o', local('bin/node'), program]);
    chmodSync(local('bin/node'), 0o755);
    cpSync(npmFolder(), local('lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
    for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, local(`bin/${name}`));
  });
};

/** A single program, for an image without other files. */
export const programLayer = (name, program) =>
  layer(name, dirname(program).split('/').at(-1), content => {
    copyFileSync(program, join(content, name));
    chmodSync(join(content, name), 0o755);
  });
