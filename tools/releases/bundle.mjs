#!/usr/bin/env node
/**
 * `node tools/releases/bundle.mjs <version> <folder>`: writes postern-<version>-linux-<arch>.tar.zst with its SHA-256 and
 * install.sh. The archive has the built services, the commands, Node.js, npm and nats-server, a CycloneDX document, and the
 * SHA-256 of each file. `--returns-to <version>` is the lowest version that can run on its data; `--sign <key>` signs it
 * with minisign. `--built` uses the existing build. `--architecture arm64` is for another machine than this one. With `--set <file> --key <public key>`, the services are those of a set of
 * published releases: what their images contain, after their signatures were checked.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagesOf, sbomOf } from '../images/sbom.mjs';
import { prepare, ROOT } from '../setup/prepare.mjs';
import { digestOf, filesBelow, linkEqualFiles, SERVICES, stageBuilt, stageCommands } from './bundle-contents.mjs';
import { ARCHITECTURES, replacePackages, stageNats, stageNode } from './bundle-programs.mjs';
import { releasedTree, stageReleased } from './bundle-releases.mjs';
import { demandSet, readPublished, setOf } from './set-file.mjs';

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
    architecture: { type: 'string', default: process.arch },
    set: { type: 'string' },
    key: { type: 'string' },
  },
});
const [version, output] = positionals;
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '') || !output) {
  console.error('usage: node tools/releases/bundle.mjs <version> <folder>, such as 2026.11.0 dist');
  process.exit(2);
}
if (values.set && !values.key) {
  console.error('--set needs --key, the public key that the releases are signed with');
  process.exit(2);
}
const { architecture } = values;
if (!ARCHITECTURES.includes(architecture)) {
  console.error(`--architecture must be ${ARCHITECTURES.join(' or ')}, not ${architecture}`);
  process.exit(2);
}
const log = line => console.log(line);

const readSet = file => {
  const found = setOf(ROOT, version, readPublished(file));
  demandSet(ROOT, found);
  return { ...found, key: readFileSync(values.key) };
};
let set;
try {
  set = values.set && readSet(values.set);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

/** The folder in which a service and its packages are found while the archive is written. */
const treeOf = (target, service) => (set ? releasedTree(target, service) : ROOT);

const stageCommand = target => {
  const text = `#!/bin/sh
release=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$release/node/bin/node" "$release/tools/one-server/dist/main.js" "$@"
`;
  writeFileSync(join(target, 'bin/postern'), text, { mode: 0o755 });
};

/** The settings of each service, with which "advanced" in config.yaml is checked. */
const stageSettings = async target => {
  const described = await Promise.all(
    SERVICES.map(async service => {
      const app = join(treeOf(target, service), 'apps', service);
      const library = createRequire(join(app, 'package.json')).resolve('@postern/service-host/config');
      const { describeConfig } = await import(library);
      const { config } = await import(join(app, 'dist/config.js'));
      const settings = describeConfig(config);
      return [service, Object.fromEntries(settings.map(({ variable, schema }) => [variable, schema]))];
    }),
  );
  writeFileSync(join(target, 'settings.json'), JSON.stringify(Object.fromEntries(described)));
};

/** The components of several lists, each once. */
const distinct = components => [...new Map(components.map(one => [one['bom-ref'], one])).values()];

/** @param files of this checkout in the archive @param lists of packages in addition */
const stageSbom = (target, files, lists, nats) => {
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
  const others = lists.flatMap(({ components = [] }) => components);
  const complete = { ...sbom, components: distinct([...sbom.components, ...others, server]) };
  writeFileSync(join(target, 'sbom.cdx.json'), JSON.stringify(complete, null, 2));
  return complete.components.length;
};

const stageManifest = (target, nats) => {
  const git = args => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const versions = Object.fromEntries(
    SERVICES.map(service => [
      service,
      JSON.parse(readFileSync(join(treeOf(target, service), 'apps', service, 'package.json'), 'utf8')).version,
    ]),
  );
  const migrationsOf = service => join(treeOf(target, service), 'prisma', service, 'migrations');
  const schemas = Object.fromEntries(
    SERVICES.filter(service => existsSync(migrationsOf(service))).map(service => [
      service,
      readdirSync(migrationsOf(service))
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
    .map(path => `${digestOf(path)}  ./${path.slice(target.length + 1)}`);
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

process.umask(0o022);
if (!values.built) await prepare(log);
const parent = mkdtempSync(join(tmpdir(), 'postern-bundle-'));
try {
  const name = `postern-${version}-linux-${architecture}`;
  const target = join(parent, name);
  log('copying the services');
  const packages = set ? await stageReleased(target, set, { architecture, log }) : [];
  const files = [...(await stageCommands(target)), ...(set ? [] : await stageBuilt(target))];
  replacePackages(target, architecture);
  log('adding Node.js and nats-server');
  stageNode(target, architecture);
  const nats = await stageNats(target, { architecture, log });
  stageCommand(target);
  await stageSettings(target);
  const components = stageSbom(target, files, packages, nats);
  if (set) {
    // The images of the services, for containers.
    writeFileSync(join(target, 'set.json'), JSON.stringify({ version: set.version, releases: set.releases }, null, 2));
    linkEqualFiles(target);
  }
  stageManifest(target, nats);
  log('compressing');
  const archive = compress(parent, name);
  log(`${archive}: ${(lstatSync(archive).size / 1e6).toFixed(1)} MB, ${components} components`);
} finally {
  rmSync(parent, { recursive: true, force: true });
}
