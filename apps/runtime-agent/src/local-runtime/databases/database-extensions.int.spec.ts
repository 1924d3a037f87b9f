import { mkdtempSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { LocalDatabases } from './local-databases.js';
import { administered, PLACES, provided, queried } from './testing/provided-database.js';

jest.setTimeout(120_000);

const home = mkdtempSync(join(tmpdir(), 'postern-extensions-'));
const databases = new LocalDatabases(home, PLACES, { sandboxFrames: join(home, 'frames') });

let relational: DatabaseOrder;
beforeAll(async () => {
  await chmod(home, 0o755);
});
beforeEach(async () => {
  if (relational) await databases.remove(relational.databaseId);
  relational = await provided(databases, 'relational');
});
afterAll(async () => {
  await databases.remove(relational.databaseId);
  await rm(home, { recursive: true, force: true });
});

const enable = (name: string) => databases.enableExtension(relational.databaseId, relational.username, name);
const list = async () => (await databases.extensionsOf(relational.databaseId, relational.username)) ?? [];
const found = async (name: string) => (await list()).find(extension => extension.name === name);

it('the list has the extensions that an owner can enable, and none that needs rights of a superuser to use', async () => {
  const names = (await list()).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['bloom', 'citext', 'hstore', 'pg_trgm', 'plpgsql', 'unaccent', 'uuid-ossp']),
  );
  for (const dangerous of ['dblink', 'file_fdw', 'pageinspect', 'postgres_fdw']) expect(names).not.toContain(dangerous);
});

it('a trusted extension is enabled for the owner, who can use and drop it', async () => {
  expect(await found('citext')).toMatchObject({ installedVersion: null, description: expect.any(String) });
  expect(await enable('citext')).toBeUndefined();
  expect(await enable('citext')).toBeUndefined();
  expect((await found('citext'))?.installedVersion).toMatch(/^\d/);
  expect(await queried(relational, ["SELECT 'A'::citext = 'a'::citext AS same"])).toEqual([{ same: true }]);
  await queried(relational, ['DROP EXTENSION citext']);
  expect((await found('citext'))?.installedVersion).toBeNull();
});

it('an extension that needs a superuser is enabled in a schema that the owner cannot change', async () => {
  await expect(queried(relational, ['CREATE EXTENSION bloom'])).rejects.toThrow('permission denied');
  expect(await enable('bloom')).toBeUndefined();
  await queried(relational, ['CREATE TABLE filtered (n int)', 'CREATE INDEX ON filtered USING bloom (n)']);
  expect(await queried(relational, ['SHOW search_path'])).toEqual([{ search_path: '"$user", public, extensions' }]);
  await expect(queried(relational, ['CREATE TABLE extensions.mine ()'])).rejects.toThrow('permission denied');
  await expect(queried(relational, ['DROP SCHEMA extensions CASCADE'])).rejects.toThrow('must be owner');
});

it('the search path of the owner is kept', async () => {
  await queried(relational, ['CREATE SCHEMA shop', 'ALTER DATABASE app SET search_path = shop, "odd, name"']);
  expect(await enable('bloom')).toBeUndefined();
  expect(await queried(relational, ['SHOW search_path'])).toEqual([{ search_path: 'shop, "odd, name", extensions' }]);
});

it('the script of an extension never runs as the administrator in a schema of the owner', async () => {
  await queried(relational, ['CREATE SCHEMA extensions']);
  expect(await enable('bloom')).toBe(
    'PostgreSQL could not create the extension bloom: schema "extensions" already exists',
  );
  expect((await found('bloom'))?.installedVersion).toBeNull();
  await queried(relational, ['ALTER SCHEMA extensions RENAME TO own']);
  expect(await enable('bloom')).toBeUndefined();
});

it('an extension that is dangerous or absent is refused with the reason', async () => {
  expect(await enable('file_fdw')).toBe(
    'the extension file_fdw needs a superuser, which the owner of a database is not',
  );
  expect(await enable('nothing_like_it')).toBe('there is no extension nothing_like_it on the machine of the platform');
  expect(await enable("x'; DROP SCHEMA public; --")).toContain('there is no extension');
  const [available] = await administered(home, relational, [
    "SELECT count(*)::int AS count FROM pg_available_extensions WHERE name = 'vector'",
  ]);
  if (available?.['count'] === 0)
    expect(await enable('vector')).toMatch(/can install the package postgresql-\d+-pgvector$/);
  else expect(await enable('vector')).toBeUndefined();
});

it('extensions are in backups and survive a restore', async () => {
  expect(await enable('bloom')).toBeUndefined();
  await queried(relational, ['CREATE TABLE filtered (n int)', 'CREATE INDEX ON filtered USING bloom (n)']);
  const backupId = '0198d3c1-1a2b-7c3d-8e4f-5a6b7c8d9e10';
  const never = new AbortController().signal;
  const { digest } = await databases.backUp(relational.databaseId, backupId, never);
  await queried(relational, ['DROP TABLE filtered']);
  const restoreId = '0198d3c1-1a2b-7c3d-8e4f-5a6b7c8d9e11';
  await databases.restore({ order: relational, restoreId, backupId, digest }, never);
  expect(await queried(relational, ['SELECT * FROM filtered WHERE n = 1'])).toEqual([]);
  expect((await found('bloom'))?.installedVersion).not.toBeNull();
});
