import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installOnce } from './install-once.js';
import { cacheDir } from './nats-install.js';
import { findPostgres, type SystemUser, unprivilegedUser } from './postgres-binaries.js';
import { CLUSTER_FORM, initialiseCluster } from './postgres-cluster.js';

const UNUSED_AFTER_MS = 7 * 24 * 3_600_000;

/** A stopped PostgreSQL cluster that is created once on this machine and then copied; for tests. */
export interface KeptCluster {
  readonly name: string;
  /** Identifies the content; each key has a separate cluster. */
  readonly key: string;
  /** Fills the folder with a cluster and stops its server. */
  readonly make: (dataDir: string) => Promise<void>;
}

const EMPTY: KeptCluster = {
  name: 'empty',
  key: '',
  make: dataDir => initialiseCluster({ dataDir, user: unprivilegedUser(), trusting: true, durable: false }),
};

/**
 * Copies a kept cluster to a folder that does not exist. If the cache does not contain it, one process creates it first, atomically.
 * @param cache the folder of kept clusters; by default in the cache of the workspace.
 */
export async function copyCluster(
  dataDir: string,
  cluster: KeptCluster = EMPTY,
  cache = join(cacheDir(), 'postgres-clusters'),
): Promise<void> {
  const user = unprivilegedUser();
  const name = `${cluster.name}-${digestOf(cluster.key, user)}`;
  const kept = join(cache, name);
  const find = async () => (existsSync(kept) ? kept : undefined);
  await installOnce(cache, name, { find, install: () => keep(cache, kept, cluster) });
  const now = new Date();
  await utimes(kept, now, now);
  // `cp` clones or copies in the kernel, keeps owners, and is much faster than copying 1,000 files in Node.js.
  await promisify(execFile)('cp', ['-a', '--', join(kept, 'data'), dataDir]);
}

async function keep(cache: string, kept: string, { make }: KeptCluster): Promise<string> {
  // Searchable by all, because the server of root runs as another user.
  await chmod(cache, 0o711);
  await removeUnused(cache);
  const draft = `${kept}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o711 });
  await make(join(draft, 'data'));
  await rename(draft, kept);
  return kept;
}

async function removeUnused(cache: string): Promise<void> {
  const before = Date.now() - UNUSED_AFTER_MS;
  for (const entry of await readdir(cache)) {
    const folder = join(cache, entry);
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() && found.mtimeMs < before) await rm(folder, { recursive: true, force: true });
  }
}

/** A digest of the programs, the form of a cluster, its owner and the key. */
function digestOf(key: string, user: SystemUser | undefined): string {
  const { initdb, postgres } = findPostgres();
  const programs = [initdb, postgres].map(path => {
    const { size, mtimeMs } = statSync(path);
    return [realpathSync(path), size, mtimeMs];
  });
  const owner = [process.getuid?.(), user?.uid, user?.gid];
  const identity = JSON.stringify([programs, CLUSTER_FORM, owner, process.platform, process.arch, key]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 16);
}
