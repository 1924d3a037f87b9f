/**
 * Releases every unit from the head as CI does, in a clone of this checkout: commits and tags, images and charts in a registry
 * on the loopback interface, and two sets that work together. In the second one, email-send has a migration. Nothing is
 * pushed to elsewhere, and this checkout does not change.
 */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { writeLayout } from '../../releases/dist/testing/oci-layout.js';
import { ScratchCheckout } from '../../releases/dist/testing/scratch-checkout.js';
import { ScratchRegistry } from '../../releases/dist/testing/scratch-registry.js';
import { sourcesDigest } from '../../releases/sources-digest.mjs';
import { services } from '../../setup/services.mjs';

/** The versions of the sets, as an installation names them. */
const SETS = ['2026.11.0', '2027.2.0'];
/** What changes between the sets: a service with an expanding migration, and another one. */
const CHANGED = { 'email-send': 'minor', 'webhook-dispatch': 'patch' };
const ARCHITECTURE = { x64: 'amd64', arm64: 'arm64' }[process.arch];

/** Packs charts and shows them, like helm, on a machine that has none. */
const HELM = `#!/bin/sh -e
case $1 in
  package) tar czf "$4/$(basename "$2")-$(sed -n 's/^version: //p' "$2/Chart.yaml").tgz" -C "$(dirname "$2")" "$(basename "$2")" ;;
  show) tar xzOf "$3" --wildcards '*/Chart.yaml' ;;
esac
`;

class Pipeline {
  constructor(checkout, folder, registry, log) {
    Object.assign(this, { checkout, folder, registry, log });
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/helm'), HELM, { mode: 0o755 });
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(join(folder, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  }

  async node(...args) {
    // A helm of the machine comes first.
    const PATH = [join(this.checkout.path, 'node_modules/.bin'), process.env.PATH, join(this.folder, 'bin')];
    const env = { PATH: PATH.join(delimiter), NX_DAEMON: 'false', NX_CACHE_DIRECTORY: join(this.folder, 'nx') };
    const { code, output } = await this.checkout.start(args, env).ended;
    if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}\n${output.slice(-4_000)}`);
    return output;
  }

  versionOf(unit) {
    const place = ['apps', 'tools', 'libs'].find(one => existsSync(join(this.checkout.path, one, unit)));
    return JSON.parse(this.checkout.read(`${place}/${unit}/package.json`)).version;
  }

  /** Releases units from the head, one after another, as their teams would. */
  async release(kinds) {
    for (const [unit, kind] of Object.entries(kinds))
      this.checkout.write(`.nx/version-plans/${unit}.md`, `---\n${unit}: ${kind}\n---\n\nA change.\n`);
    this.checkout.commit('Plans');
    for (const unit of Object.keys(kinds)) {
      await this.node('tools/releases/release.mjs', unit, '--tested');
      this.log(`released ${unit}@${this.versionOf(unit)}`);
    }
    await this.node('--input-type=module', '-e', "await (await import('./tools/setup/prepare.mjs')).prepare()");
  }

  /** The image of a release without its system: the files that docker/Dockerfile packs, from the sources of the release. */
  async publish(service) {
    const tag = `${service}@${this.versionOf(service)}`;
    const { sources } = JSON.parse(this.checkout.read(`libs/contracts/released/${tag}.json`));
    if (sources !== sourcesDigest(this.checkout.path, service)) throw new Error(`the sources of ${tag} are others`);
    const image = join(this.folder, tag);
    await this.node('tools/images/pack.mjs', service, join(image, 'postern'));
    execFileSync('tar', ['cf', join(image, 'layer.tar'), '-C', image, 'postern']);
    const layout = writeLayout(join(image, 'layout'), ARCHITECTURE, readFileSync(join(image, 'layer.tar')));
    const options = ['--architectures', ARCHITECTURE, '--layout', layout, '--key', join(this.folder, 'key.pem')];
    const to = ['--to', `${this.registry.address}/postern`, '--sbom', join(image, 'postern/sbom.cdx.json')];
    await this.node('tools/releases/publish.mjs', tag, ...to, ...options);
    await this.node('tools/releases/verify.mjs', `published/${tag}.json`, '--key', join(this.folder, 'key.pub'));
    rmSync(image, { recursive: true });
    this.log(`published ${tag}`);
  }

  /** The set of the newest releases, as an archive for one server in `target`. @returns the archive */
  async bundle(version, target) {
    const releases = services(this.checkout.path).map(({ name }) => `published/${name}@${this.versionOf(name)}.json`);
    this.log((await this.node('tools/releases/set.mjs', version, ...releases)).trim());
    const set = ['--set', `published/postern-${version}.json`, '--key', join(this.folder, 'key.pub')];
    await this.node('tools/releases/bundle.mjs', version, target, '--built', ...set);
    return join(target, `postern-${version}-linux-${process.arch}.tar.zst`);
  }
}

/** Writes the archives of two sets to a folder. @returns their paths */
export const releasedArchives = async (target, log) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-released-'));
  const checkout = await ScratchCheckout.make('files');
  const registry = await ScratchRegistry.start(folder);
  try {
    const pipeline = new Pipeline(checkout, folder, registry, log);
    const { release } = JSON.parse(checkout.read('nx.json'));
    const names = services(checkout.path).map(({ name }) => name);
    // The package of the command depends on that of the SDK, and is part of every image.
    const packages = release.projects
      .filter(unit => !names.includes(unit))
      .sort((one, other) => (one < other ? 1 : -1));
    await pipeline.release(Object.fromEntries([...packages, ...names].map(unit => [unit, 'minor'])));
    for (const service of names) await pipeline.publish(service);
    const first = await pipeline.bundle(SETS[0], target);
    checkout.write(
      'prisma/email-send/migrations/9000_note/migration.sql',
      'ALTER TABLE emails ADD COLUMN release_note text;\n',
    );
    checkout.replace(
      'prisma/email-send/schema.prisma',
      '@@map("emails")',
      '@@map("emails")\n  releaseNote String? @map("release_note")',
    );
    await pipeline.release(CHANGED);
    for (const service of Object.keys(CHANGED)) await pipeline.publish(service);
    return [first, await pipeline.bundle(SETS[1], target)];
  } finally {
    registry.stop();
    checkout.remove();
    rmSync(folder, { recursive: true, force: true });
  }
};
