import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { findPostgres, planSpawn, runToEnd, type SystemUser } from './postgres-binaries.js';

/** A cluster to create in a folder that is empty or missing. */
export interface ClusterOptions {
  readonly dataDir: string;
  readonly user: SystemUser | undefined;
  /** Of the superuser `postgres`; without it local connections are trusted. */
  readonly password?: string | undefined;
  /** false: the files are not flushed to the disk. */
  readonly durable?: boolean | undefined;
}

export const serverEnvironment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });

/** The options that determine the content of a new cluster, besides the version of PostgreSQL. */
export const CLUSTER_FORM = [
  ...['-U', 'postgres', '-E', 'UTF8', '--no-instructions'],
  // The built-in provider sorts identically on every machine, independent of installed locales.
  ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
];

export async function initialiseCluster({ dataDir, user, password, durable }: ClusterOptions): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (user) await chown(dataDir, user.uid, user.gid);
  const args = ['-D', dataDir, ...CLUSTER_FORM];
  const passwordFile = `${dataDir}.password`;
  if (password) {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) await chown(passwordFile, user.uid, user.gid);
    args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`);
  } else {
    args.push('--auth=trust');
  }
  if (durable === false) args.push('--no-sync');
  try {
    await runToEnd(planSpawn(findPostgres().initdb, args, user, [dataDir]), serverEnvironment());
  } finally {
    if (password) await rm(passwordFile, { force: true });
  }
}
