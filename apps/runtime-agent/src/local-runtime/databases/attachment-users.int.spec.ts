import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { DatabaseOrder, DatabaseUser } from '@postern/runtime';
import pg from 'pg';
import { LocalDatabases } from './local-databases.js';
import { findValkey } from './programs.js';
import { PLACES, provided, queried, replied } from './testing/provided-database.js';

jest.setTimeout(120_000);

const home = mkdtempSync(join(tmpdir(), 'postern-users-'));
const databases = new LocalDatabases(home, PLACES, { sandboxFrames: join(home, 'frames') });
const [shop, blog] = [1, 2].map(
  (digit): DatabaseUser => ({
    username: `attached_${String(digit).repeat(32)}`,
    password: randomBytes(24).toString('hex'),
  }),
) as [DatabaseUser, DatabaseUser];

let relational: DatabaseOrder;
beforeAll(async () => {
  relational = await provided(databases, 'relational');
});
afterAll(async () => {
  await databases.remove(relational.databaseId);
  await rm(home, { recursive: true, force: true });
});

const asUser = (user: DatabaseUser, ...statements: string[]) =>
  queried(relational, statements, { user: user.username, password: user.password });

it('each attachment has a user that shares the tables of the owner and loses its access when it is detached', async () => {
  await databases.ensure({ ...relational, attachmentUsers: [shop, blog] });
  await asUser(shop, 'CREATE TABLE orders (id int)', 'INSERT INTO orders VALUES (7)');
  expect(await asUser(blog, 'ALTER TABLE orders ADD note text', 'SELECT id FROM orders')).toEqual([{ id: 7 }]);
  await asUser(shop, 'DISCARD ALL', 'CREATE TABLE left_over (id int)', 'INSERT INTO left_over VALUES (8)');
  await expect(asUser(shop, 'CREATE ROLE another LOGIN')).rejects.toThrow('permission denied');

  const { host, port, username: database } = relational;
  const open = new pg.Client({ host, port, database, user: shop.username, password: shop.password });
  const ended = new Promise(resolve => open.on('error', resolve));
  await open.connect();
  await open.query("ALTER ROLE CURRENT_USER PASSWORD 'known to the detached service'");
  await databases.ensure({ ...relational, attachmentUsers: [blog] });
  await ended;
  await expect(asUser(shop, 'SELECT 1')).rejects.toThrow('password authentication failed');
  await expect(queried({ ...relational, password: 'known to the detached service' }, ['SELECT 1'])).rejects.toThrow(
    'password authentication failed',
  );
  expect(await asUser(blog, 'DROP TABLE orders', 'SELECT id FROM left_over')).toEqual([{ id: 8 }]);
  const roles = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'attached%'";
  expect(await queried(relational, [roles])).toEqual([{ rolname: blog.username }]);
});

it('all users of a database together have the connections of its plan', async () => {
  await databases.ensure({ ...relational, attachmentUsers: [blog] });
  const limit = "SELECT datconnlimit FROM pg_database WHERE datname = 'app'";
  expect(await queried(relational, [limit])).toEqual([{ datconnlimit: relational.limits.connections }]);
});

/** The tests of machines that have a server for it. */
const itWithValkey = findValkey(PLACES) ? it : it.skip;

itWithValkey(
  'a key-value store has a user for each attachment, which loses its access when it is detached',
  async () => {
    const store = await provided(databases, 'key_value');
    const asUserOfStore = (user: DatabaseUser, ...commands: string[]) =>
      replied(store, `AUTH ${user.username} ${user.password}`, ...commands);
    await databases.ensure({ ...store, attachmentUsers: [shop, blog] });
    expect(await asUserOfStore(shop, 'SET a 1')).toEqual(['+OK', '+OK']);
    expect(await asUserOfStore(blog, 'GET a', 'ACL LIST')).toEqual([
      '+OK',
      '$1',
      '1',
      expect.stringContaining('-NOPERM'),
    ]);

    const waiting = asUserOfStore(shop, 'BLPOP nothing 0');
    const ended = expect(waiting).rejects.toThrow('closed after');
    await databases.ensure({ ...store, attachmentUsers: [blog] });
    await ended;
    expect(await asUserOfStore(shop)).toEqual([expect.stringContaining('-WRONGPASS')]);
    expect(await asUserOfStore(blog, 'GET a')).toEqual(['+OK', '$1', '1']);
    await databases.remove(store.databaseId);
  },
);
