#!/usr/bin/env node
/**
 * `node tools/releases/bundle.mjs <version> <folder>`: writes postern-<version>-linux-<arch>.tar.zst with its SHA-256 and
 * install.sh. The archive has the built services, the commands, Node.js, npm and nats-server, a CycloneDX document, and the
 * SHA-256 of each file. `--returns-to <version>` is the lowest version that can run on its data; `--sign <key>` signs it
 * with minisign. `--built` uses the existing build. `--set <file>` demands the versions of a set of published releases.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeFileTrace } from '@vercel/nft';
import { packagesOf, sbomOf } from '../images/sbom.mjs';
import { prepare, ROOT } from '../setup/prepare.mjs';
import { services } from '../setup/services.mjs';
import { demandSet, readPublished } from './set-file.mjs';

const SERVICES = services(ROOT).map(({ name }) => name);
const COMMANDS = [
  'tools/command/dist/main.js',
  'tools/one-server/dist/main.js',
  'tools/one-server/dist/backups/wal-command.js',
];
/** Files that are read instead of imported. */
const READ = [
  'apps/dashboard/dist',
  'apps/documentation/dist/site',
  'docker/postgres-roles.sh',
  'docker/pg_hba.conf',
  'docker/nats.conf',
  'node_modules/@prisma/schema-engine-wasm',
  'LICENSE',
];
const ARCHITECTURE = process.arch;

/** The Node.js of this repository, which the archive contains: an older one of the machine cannot run the services. */
const NODE = realpathSync(join(ROOT, 'node_modules/.bin/node'));
if (realpathSync(process.execPath) !== NODE) {
  const { status } = spawnSync(NODE, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}` },
  });
  process.exit(status ?? 1);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    built: { type: 'boolean' },
    'returns-to': { type: 'string' },
    sign: { type: 'string' },
    set: { type: 'string' },
  },
});
const [version, output] = positionals;
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '') || !output) {
  console.error('usage: node tools/releases/bundle.mjs <version> <folder>, such as 2026.11.0 dist');
  process.exit(2);
}
const log = line => console.log(line);

const filesBelow = folder =>
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

/** The npm that the PATH has. */
const npmFolder = () => {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const npm = folders.map(folder => join(folder, 'npm')).find(path => existsSync(path));
  if (npm === undefined) throw new Error('npm is not in the PATH');
  return dirname(dirname(realpathSync(npm)));
};

const stageServices = async target => {
  const programs = SERVICES.flatMap(bundledFiles);
  const bundles = programs.filter(path => path.endsWith('.js'));
  const traced = [...(await trace(bundles, IMPORTS_ONLY)), ...(await trace(COMMANDS))];
  const migrations = SERVICES.map(service => `prisma/${service}`).filter(path => existsSync(join(ROOT, path)));
  const manifests = [
    ...SERVICES.map(service => `apps/${service}/package.json`),
    'tools/command/package.json',
    'tools/one-server/package.json',
  ];
  // What each release exchanges with the others, which its processes tell and an upgrade compares.
  const contracts = SERVICES.map(service => {
    const { version: release } = JSON.parse(readFileSync(join(ROOT, 'apps', service, 'package.json'), 'utf8'));
    return `libs/contracts/released/${service}@${release}.json`;
  }).filter(path => existsSync(join(ROOT, path)));
  for (const path of [...traced, ...programs, ...migrations, ...manifests, ...contracts, ...READ])
    copyInto(target, path);
  // A program that is one file still consists of packages.
  return [
    ...traced,
    ...(await trace(
      SERVICES.map(service => `apps/${service}/dist/main.js`),
      IMPORTS_ONLY,
    )),
  ];
};

/** Node.js without debug symbols, and the npm that builds of web services use. */
const stageNode = target => {
  const bin = join(target, 'node/bin');
  mkdirSync(bin, { recursive: true });
  copyFileSync(realpathSync(process.execPath), join(bin, 'node'));
  try {
    execFileSync('strip', ['--strip-unneeded', join(bin, 'node')]);
  } catch {
    log('strip (binutils) is missing: the archive is larger');
  }
  const npm = npmFolder();
  cpSync(npm, join(target, 'node/lib/node_modules/npm'), {
    recursive: true,
    filter: path => !/npm\/(docs|man)(\/|$)/.test(path),
  });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
};

const stageNats = async target => {
  const { findNatsServer } = await import('@postern/testing');
  const { path, version: found } = await findNatsServer({ version: '2.12', onProgress: log });
  mkdirSync(join(target, 'bin'), { recursive: true });
  copyFileSync(path, join(target, 'bin/nats-server'));
  chmodSync(join(target, 'bin/nats-server'), 0o755);
  try {
    execFileSync('strip', ['--strip-unneeded', join(target, 'bin/nats-server')]);
  } catch {
    // Said above.
  }
  return found;
};

const stageCommand = target => {
  const text = `#!/bin/sh
release=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$release/node/bin/node" "$release/tools/one-server/dist/main.js" "$@"
`;
  writeFileSync(join(target, 'bin/postern'), text, { mode: 0o755 });
};

/** The settings of each service, with which "advanced" in config.yaml is checked. */
const stageSettings = async target => {
  const { describeConfig } = await import('@postern/service-host/config');
  const described = await Promise.all(
    SERVICES.map(async service => {
      const module = await import(join(ROOT, 'apps', service, 'dist/config.js'));
      const settings = describeConfig(module.config);
      return [service, Object.fromEntries(settings.map(({ variable, schema }) => [variable, schema]))];
    }),
  );
  writeFileSync(join(target, 'settings.json'), JSON.stringify(Object.fromEntries(described)));
};

const stageSbom = (target, files, nats) => {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const document = JSON.parse(execFileSync('npm', args, { cwd: ROOT, maxBuffer: 64 * 1024 ** 2, encoding: 'utf8' }));
  const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const sbom = sbomOf(document, packagesOf(files, lockfile), {
    app: 'one-server',
    version,
    node: process.versions.node,
  });
  const server = {
    type: 'application',
    'bom-ref': `nats-server@${nats}`,
    name: 'nats-server',
    version: nats,
    purl: `pkg:golang/github.com/nats-io/nats-server/v2@v${nats}`,
  };
  const complete = { ...sbom, components: [...sbom.components, server] };
  writeFileSync(join(target, 'sbom.cdx.json'), JSON.stringify(complete, null, 2));
  return complete.components.length;
};

const stageManifest = (target, nats) => {
  const git = args => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const versions = Object.fromEntries(
    SERVICES.map(service => [
      service,
      JSON.parse(readFileSync(join(ROOT, 'apps', service, 'package.json'), 'utf8')).version,
    ]),
  );
  const schemas = Object.fromEntries(
    SERVICES.filter(service => existsSync(join(ROOT, 'prisma', service))).map(service => [
      service,
      readdirSync(join(ROOT, 'prisma', service, 'migrations'))
        .filter(name => /^\d/.test(name))
        .sort()
        .at(-1),
    ]),
  );
  const manifest = {
    version,
    returnsTo: values['returns-to'] ?? '0.0.0',
    commit: git(['rev-parse', 'HEAD']),
    node: process.versions.node,
    nats,
    services: versions,
    ...(set ? { set: set.version } : {}),
    schemas,
  };
  writeFileSync(join(target, 'manifest.json'), JSON.stringify(manifest, null, 2));
  const lines = filesBelow(target)
    .filter(path => !lstatSync(path).isSymbolicLink())
    .map(
      path => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ./${path.slice(target.length + 1)}`,
    );
  writeFileSync(join(target, 'SHA256SUMS'), `${lines.sort().join('\n')}\n`);
};

const compress = (parent, name) => {
  const archive = join(resolve(output), `${name}.tar.zst`);
  mkdirSync(resolve(output), { recursive: true });
  const date = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: ROOT, encoding: 'utf8' }).trim();
  // The same sources give the same archive.
  const stable = ['--sort=name', `--mtime=${date}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  execFileSync('tar', ['--create', ...stable, '-I', 'zstd -12 -T0', '--file', archive, '-C', parent, name]);
  const digest = execFileSync('sha256sum', [`${name}.tar.zst`], { cwd: resolve(output), encoding: 'utf8' });
  writeFileSync(`${archive}.sha256`, digest);
  copyFileSync(join(ROOT, 'tools/one-server/install.sh'), join(resolve(output), 'install.sh'));
  if (values.sign) execFileSync('minisign', ['-S', '-s', values.sign, '-m', archive], { stdio: 'inherit' });
  return archive;
};

const set = values.set && { version, releases: readPublished(values.set) };
if (set) demandSet(ROOT, set);

process.umask(0o022);
if (!values.built) await prepare(log);
const parent = mkdtempSync(join(tmpdir(), 'postern-bundle-'));
try {
  const name = `postern-${version}-linux-${ARCHITECTURE}`;
  const target = join(parent, name);
  log('copying the services');
  const files = await stageServices(target);
  stageNode(target);
  log('adding nats-server');
  const nats = await stageNats(target);
  stageCommand(target);
  await stageSettings(target);
  const components = stageSbom(target, files, nats);
  stageManifest(target, nats);
  log('compressing');
  const archive = compress(parent, name);
  log(`${archive}: ${(lstatSync(archive).size / 1e6).toFixed(1)} MB, ${components} components`);
} finally {
  rmSync(parent, { recursive: true, force: true });
}
