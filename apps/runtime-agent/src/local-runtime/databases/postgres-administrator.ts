import type pg from 'pg';
import { POSTGRES_ADMIN } from './postgres-settings.js';

/** The connection of the platform to a server, through a folder of Unix sockets. The kernel tells the server who the platform is. */
export const asAdministrator = (folder: string, port: number): pg.ClientConfig => ({
  host: folder,
  port,
  user: POSTGRES_ADMIN,
  database: POSTGRES_ADMIN,
  // No password of the platform's environment is sent to a server that asks for one.
  password: () => Promise.reject(new Error('the server asks for a password, which the platform does not have')),
  ssl: false,
  connectionTimeoutMillis: 5_000,
  options: '-c default_transaction_read_only=off -c search_path=pg_catalog',
});

/** @throws if another server answers: the user of a database could place a link to the socket of another one in its folder. */
export const requireServerOf = async (databaseId: string, client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ cluster_name: string }>('SHOW cluster_name');
  if (rows[0]?.cluster_name !== databaseId) throw new Error('the server of another database answers');
};
