import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** Returns the name of the segment in which the server writes its write-ahead log. */
export const currentWal = (client: pg.Client): Promise<string> => segmentAt(client, 'pg_current_wal_insert_lsn()');

/** Ends the segment, and returns its name. It contains all transactions that have been committed, and one that was committed after them. */
export const sealWal = async (client: pg.Client): Promise<string> => {
  // Its commit is logged. Without a later commit, a recovery could not tell that it has reached its target time.
  await client.query('SELECT pg_current_xact_id()');
  return segmentAt(client, 'pg_switch_wal()');
};

const segmentAt = async (client: pg.Client, position: string): Promise<string> => {
  const { rows } = await client.query<{ segment: string }>(`SELECT pg_walfile_name(${position}) AS segment`);
  return rows[0]!.segment;
};

/** Makes the next start of a server a recovery. Never follows a link, because the data are from a server of a customer. */
export const requestRecovery = async (data: string, uid: number | undefined): Promise<void> => {
  const file = await open(join(data, 'recovery.signal'), 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!file) return;
  if (uid !== undefined) await file.chown(uid, uid).catch(error => file.close().finally(() => Promise.reject(error)));
  await file.close();
};
