import type { PackageJson } from './package-json.js';
import type { Project } from './project.js';
import { quoted } from './quoted.js';

/** A package manager of Node.js, and how it installs the locked packages of a project. */
export interface PackageManager {
  readonly name: 'npm' | 'yarn' | 'pnpm' | 'bun';
  /** Why it was selected, and its install command. */
  readonly rule: string;
  /** The shell command to which arguments are added. */
  readonly run: string;
  readonly install: string;
  /** The npm package that provides it at run time; undefined for npm. */
  readonly provider: string | undefined;
}

/** Undefined where the project neither locks nor needs packages. */
export const packageManagerOf = async (project: Project, manifest: PackageJson): Promise<PackageManager> => {
  const [, named, version] = /^(npm|yarn|pnpm|bun)@(\d[\w.-]*)/.exec(String(manifest.packageManager ?? '')) ?? [];
  const because = named && `package.json names ${named} ${version}`;
  const yarnLock = await project.readBeginning('yarn.lock');
  if (named === 'yarn' || (!named && yarnLock !== undefined)) {
    const isBerry = version ? !version.startsWith('1.') : (yarnLock?.includes('__metadata:') ?? false);
    return isBerry ? berry(await yarnPathIn(project), version, because) : classic(version, because, yarnLock);
  }
  const pnpmLock = await project.readBeginning('pnpm-lock.yaml');
  if (named === 'pnpm' || (!named && pnpmLock !== undefined)) return pnpm(version, because, pnpmLock);
  const bunLock = (await project.has('bun.lock')) ? 'bun.lock' : 'bun.lockb';
  const hasBunLock = await project.has(bunLock);
  if (named === 'bun' || (!named && hasBunLock))
    return viaNpm('bun', `bun@${version ?? 1}`, because ?? `${bunLock} found`, frozen(hasBunLock));
  const npmLocks = ['package-lock.json', 'npm-shrinkwrap.json'];
  for (const lock of npmLocks) if (await project.has(lock)) return npm(`${lock} found`, 'npm ci');
  return npm('no lock file found', 'npm install');
};

const npm = (why: string, install: string): PackageManager => ({
  name: 'npm',
  rule: `${why}: ${install}`,
  run: 'npm',
  install,
  provider: undefined,
});

const frozen = (isLocked: boolean): string => (isLocked ? 'install --frozen-lockfile' : 'install');

/** npm downloads the other package managers, so the machine does not need them. */
const viaNpm = (name: 'yarn' | 'pnpm' | 'bun', provider: string, why: string, install: string): PackageManager => {
  const run = `npm exec --yes --package=${provider} -- ${name}`;
  return { name, rule: `${why}: ${name} ${install}`, run, install: `${run} ${install}`, provider };
};

const classic = (version: string | undefined, because: string | undefined, lock: string | undefined): PackageManager =>
  viaNpm('yarn', `yarn@${version ?? '1.22.22'}`, because ?? 'yarn.lock of Yarn 1 found', frozen(lock !== undefined));

const berry = (
  yarnPath: string | undefined,
  version: string | undefined,
  because: string | undefined,
): PackageManager => {
  const provider = `@yarnpkg/cli-dist@${version ?? 4}`;
  const why = because ?? 'yarn.lock of Yarn 2 or newer found';
  const fetched = viaNpm('yarn', provider, why, 'install --immutable');
  if (yarnPath === undefined) return fetched;
  const run = `node ${quoted(yarnPath)}`;
  return {
    ...fetched,
    rule: `${why}, ${yarnPath}: yarn install --immutable`,
    run,
    install: `${run} install --immutable`,
  };
};

/** The Yarn release that the repository contains. */
const yarnPathIn = async (project: Project): Promise<string | undefined> => {
  const path = /^yarnPath:\s*["']?([\w./@-]+)["']?\s*$/m.exec((await project.read('.yarnrc.yml')) ?? '')?.[1];
  return path !== undefined && (await project.has(path)) ? path : undefined;
};

/** Major version of pnpm for each format of the lock file. */
const PNPM_VERSIONS: Readonly<Record<string, number>> = { '5': 7, '6': 8, '9': 10 };

const pnpm = (version: string | undefined, because: string | undefined, lock: string | undefined): PackageManager => {
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lock ?? '')?.[1] ?? '9';
  const provider = `pnpm@${version ?? PNPM_VERSIONS[format] ?? 10}`;
  return viaNpm('pnpm', provider, because ?? 'pnpm-lock.yaml found', frozen(lock !== undefined));
};
