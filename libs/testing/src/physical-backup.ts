import { execFile } from 'node:child_process';
import { chown, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { childProcesses } from './child-processes.js';
import type { PostgresServer } from './postgres-server.js';

const run = promisify(execFile);

/** Files of the running server that a backup must not contain. */
const OF_SERVER = ['postmaster.pid', 'postmaster.opts'];

/** Copies, and does not fail when the server removes a file meanwhile. */
const copy = async (from: string, to: string): Promise<void> => {
  await run('cp', ['-a', '--', from, to]).catch((error: { stderr?: string }) => {
    const others = (error.stderr ?? '').split('\n').filter(line => line && !line.includes('No such file or directory'));
    if (others.length > 0) throw error;
  });
};

/** Makes a physical backup of a running server in a folder that does not exist, as `pg_basebackup --wal-method=stream` does. */
export async function backUpPostgres(server: PostgresServer, folder: string): Promise<void> {
  const { dataDir } = server.state.options;
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('test', fast => true)");
    await copy(`${dataDir}/.`, folder);
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    await rm(join(folder, 'pg_wal'), { recursive: true });
    await copy(join(dataDir, 'pg_wal'), folder);
    const label = join(folder, 'backup_label');
    await writeFile(label, rows[0]?.labelfile ?? '', { mode: 0o600 });
    const { uid, gid } = await stat(dataDir);
    await chown(label, uid, gid);
  } finally {
    await client.end();
  }
  for (const file of OF_SERVER) await rm(join(folder, file), { force: true });
}

/**
 * Kills a server and replaces its data by a backup; the caller or a supervisor starts it afterwards. The data are replaced while
 * its processes are stopped, so that it cannot start on something else.
 */
export async function restorePostgres(server: PostgresServer, backup: string): Promise<void> {
  const { dataDir } = server.state.options;
  process.kill(server.pid, 'SIGSTOP');
  for (const pid of await childProcesses(server.pid)) process.kill(pid, 'SIGSTOP');
  for (const entry of await readdir(dataDir)) await rm(join(dataDir, entry), { recursive: true });
  await run('cp', ['-a', '--', `${backup}/.`, dataDir]);
  await server.kill();
}
