import { chown, mkdir } from 'node:fs/promises';
import { findPostgres, planSpawn, runToEnd, type SystemUser } from './postgres-binaries.js';

/** A cluster to create in a folder that is empty or missing. */
export interface ClusterOptions {
  readonly dataDir: string;
  readonly user: SystemUser | undefined;
  /** Whether the cluster trusts local connections, for tests; otherwise its files contain no rule that lets others in. */
  readonly trusting?: boolean | undefined;
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

export async function initialiseCluster({ dataDir, user, trusting, durable }: ClusterOptions): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (user) await chown(dataDir, user.uid, user.gid);
  const args = ['-D', dataDir, ...CLUSTER_FORM];
  args.push(...(trusting ? ['--auth=trust'] : ['--auth-local=peer', '--auth-host=reject']));
  if (durable === false) args.push('--no-sync');
  await runToEnd(planSpawn(findPostgres().initdb, args, user, [dataDir]), serverEnvironment());
}
