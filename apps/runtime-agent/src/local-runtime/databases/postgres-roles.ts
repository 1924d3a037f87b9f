import type { DatabaseOrder, DatabaseUser } from '@postern/runtime';
import pg from 'pg';
import { scramVerifier } from './scram-verifier.js';

const UNPRIVILEGED = 'LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS';
const ATTACHMENT_USERS = "SELECT rolname AS name FROM pg_roles WHERE rolname LIKE 'attached\\_%'";

/** Creates or updates the owner and the database, in the database of the administrator. */
export const settleOwner = async (client: pg.Client, { username, password, limits }: DatabaseOrder): Promise<void> => {
  const owner = pg.escapeIdentifier(username);
  const has = async (text: string) => (await client.query(text, [username])).rows.length > 0;
  if (!(await has('SELECT 1 FROM pg_roles WHERE rolname = $1'))) await client.query(`CREATE ROLE ${owner}`);
  await setAccess(client, { username, password }, limits.connections);
  if (!(await has('SELECT 1 FROM pg_database WHERE datname = $1')))
    await client.query(`CREATE DATABASE ${owner} OWNER ${owner}`);
  // All users of the database together have the connections of the plan.
  await client.query(`ALTER DATABASE ${owner} CONNECTION LIMIT ${limits.connections}`);
};

/**
 * Creates or updates one role for each attachment and removes all others. Each acts as the owner from its first statement on, so
 * that what it creates belongs to the owner. Runs in the owner's database.
 */
export const settleAttachmentUsers = async (
  client: pg.Client,
  { username, limits }: DatabaseOrder,
  users: readonly DatabaseUser[],
): Promise<void> => {
  const owner = pg.escapeIdentifier(username);
  const present = (await client.query<{ name: string }>(ATTACHMENT_USERS)).rows.map(({ name }) => name);
  for (const user of users) {
    const role = pg.escapeIdentifier(user.username);
    if (!present.includes(user.username)) await client.query(`CREATE ROLE ${role} IN ROLE ${owner}`);
    await setAccess(client, user, limits.connections);
    await client.query(`ALTER ROLE ${role} SET role = ${owner}`);
  }
  const wanted = new Set(users.map(user => user.username));
  for (const name of present) if (!wanted.has(name)) await removeRole(client, name, owner);
};

const setAccess = (client: pg.Client, { username, password }: DatabaseUser, connections: number) =>
  client.query(
    `ALTER ROLE ${pg.escapeIdentifier(username)} ${UNPRIVILEGED} ` +
      `CONNECTION LIMIT ${connections} PASSWORD '${scramVerifier(password)}'`,
  );

const removeRole = async (client: pg.Client, name: string, owner: string): Promise<void> => {
  const role = pg.escapeIdentifier(name);
  // Nobody logs in any more after this, also if the role cannot be removed because another database depends on it.
  await client.query(`ALTER ROLE ${role} NOLOGIN PASSWORD NULL`);
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [name]);
  await client
    .query(`REASSIGN OWNED BY ${role} TO ${owner}; DROP OWNED BY ${role}; DROP ROLE ${role}`)
    .catch(() => undefined);
};
