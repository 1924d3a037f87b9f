import { createHash } from 'node:crypto';
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeDurably, writeJson } from '../machine/files.js';
import { run } from '../machine/run.js';
import { UsageError } from '../usage-error.js';

/** What the bundle says about a release. */
export interface ReleaseManifest {
  readonly version: string;
  /** The lowest version that can run on the data of this release. */
  readonly returnsTo: string;
  /** The version of each service. */
  readonly services: Readonly<Record<string, string>>;
}

/** Compares the numbers of two versions. */
export const isNewer = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map(version => version.split(/[.+-]/).map(part => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
};

/** The versions that are unpacked, the newest first. */
export const unpackedIn = (releases: string): readonly string[] =>
  existsSync(releases)
    ? readdirSync(releases)
        .filter(name => !name.endsWith('.partial'))
        .sort((one, other) => Number(isNewer(other, one)) - Number(isNewer(one, other)))
    : [];

const read = <Content>(folder: string, file: string): Content => {
  const found = readJson<Content>(join(folder, file));
  if (found === undefined) throw new UsageError(`${folder} has no ${file}. Run its install.sh again.`);
  return found;
};

const folderOf = (service: string): string => `services/${service}`;

/** The newest unpacked release before `current` with an older version of the service. */
const earlierOf = (releases: string, current: ReleaseManifest, service: string): ReleaseManifest => {
  const version = Object.hasOwn(current.services, service) ? current.services[service] : undefined;
  if (version === undefined)
    throw new UsageError(`${service} is not a service. They are ${Object.keys(current.services).join(', ')}`);
  const others = unpackedIn(releases)
    .map(name => read<ReleaseManifest>(join(releases, name), 'manifest.json'))
    .filter(each => !isNewer(each.version, current.version) && isNewer(version, each.services[service] ?? version));
  const found = others.find(each => existsSync(join(releases, each.version, folderOf(service))));
  if (found && existsSync(join(releases, current.version, folderOf(service)))) return found;
  throw new UsageError(
    others.length > 0
      ? `${current.version} or ${others[0]?.version} is a build in which services share their packages, so one cannot be returned alone. Return all: postern rollback`
      : `no unpacked release has an older ${service} than ${version}. Unpacked are: ${unpackedIn(releases).join(', ')}`,
  );
};

const digestOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The lines of SHA256SUMS by path. */
const sumsOf = (folder: string): readonly (readonly [path: string, digest: string])[] =>
  readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
    .split('\n')
    .flatMap(line => {
      const [, digest, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
      return digest && path ? [[path, digest] as const] : [];
    });

/**
 * Writes a release with everything of the release `version`, and one service of an earlier release. Both stay as they are.
 * @param releases the folder of the unpacked releases. @returns its version, `<version>+<service>-<its version>`
 * @throws UsageError if there is no earlier version of the service, or if it cannot run on the data of `version`
 */
export const exchangeService = async (releases: string, version: string, service: string): Promise<string> => {
  const from = join(releases, version);
  const manifest = read<ReleaseManifest>(from, 'manifest.json');
  const earlier = earlierOf(releases, manifest, service);
  if (isNewer(manifest.returnsTo, earlier.version))
    throw new UsageError(`${service} of ${earlier.version} cannot run on the data of ${version}`);
  const other = join(releases, earlier.version);
  const returned = earlier.services[service] ?? '';
  const name = `${version}+${service}-${returned}`;
  if (existsSync(join(releases, name))) return name;
  const partial = join(releases, `${name}.partial`);
  rmSync(partial, { recursive: true, force: true });
  // Links to the same files, which need no space; those that change are replaced.
  await run('cp', ['--archive', '--link', from, partial]);
  rmSync(join(partial, folderOf(service)), { recursive: true });
  await run('cp', ['--archive', '--link', join(other, folderOf(service)), join(partial, folderOf(service))]);
  const contract = `libs/contracts/released/${service}@${returned}.json`;
  rmSync(join(partial, contract), { force: true });
  linkSync(join(other, contract), join(partial, contract));
  const settings = read<Record<string, object>>(other, 'settings.json')[service];
  writeJson(join(partial, 'settings.json'), { ...read<object>(from, 'settings.json'), [service]: settings });
  const services = { ...manifest.services, [service]: returned };
  writeJson(join(partial, 'manifest.json'), { ...manifest, version: name, services });
  const isOfService = ([path]: readonly [string, string]): boolean => path.startsWith(`./${folderOf(service)}/`);
  const sums = new Map([
    ...sumsOf(from).filter(line => !isOfService(line)),
    ...sumsOf(other).filter(isOfService),
    ...[contract, 'settings.json', 'manifest.json'].map(path => [`./${path}`, digestOf(join(partial, path))] as const),
  ]);
  const lines = [...sums].map(([path, digest]) => `${digest}  ${path}\n`).sort();
  writeDurably(join(partial, 'SHA256SUMS'), lines.join(''));
  renameSync(partial, join(releases, name));
  return name;
};
