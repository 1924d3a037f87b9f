import { existsSync, mkdtempSync } from 'node:fs';
import { readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { DiskImages } from '../sandbox/areas/disk-images.js';
import { DatabaseFolders } from './database-folder.js';
import { LocalDatabases } from './local-databases.js';
import { endProcesses } from './processes.js';
import { findValkey } from './programs.js';
import { administered, PLACES, provided, queried, replied } from './testing/provided-database.js';

jest.setTimeout(300_000);

const MIB = 1024 ** 2;
const LIMITS = { storageBytes: 96 * MIB };
const WRITABLE = 'SET default_transaction_read_only = off';

(process.getuid?.() === 0 ? describe : describe.skip)('the volume of a database', () => {
  const home = mkdtempSync(join(tmpdir(), 'postern-volumes-'));
  const folders = new DatabaseFolders(home);
  const frames = { sandboxFrames: join(home, 'frames') };
  const found = DiskImages.find(home);
  const images = () => found;
  const made: DatabaseOrder[] = [];
  let databases: LocalDatabases;
  beforeAll(() => {
    databases = new LocalDatabases(home, PLACES, { ...frames, images });
  });
  afterEach(async () => {
    for (const { databaseId } of made.splice(0)) await databases.remove(databaseId);
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const create = async (kind: 'relational' | 'key_value', of = databases): Promise<DatabaseOrder> => {
    const order = await provided(of, kind, LIMITS);
    made.push(order);
    return order;
  };
  const sizeOf = async ({ databaseId }: DatabaseOrder) => {
    const { blocks, bsize } = await statfs(folders.volumeOf(databaseId));
    return blocks * bsize;
  };
  const kill = async ({ databaseId }: DatabaseOrder) => {
    const record = (await folders.recordOf(databaseId))!;
    await endProcesses(folders.marksOf(record), 'SIGKILL', 0);
  };

  it('limits what a relational database can write at once; it can be read, emptied and started when it is full', async () => {
    const order = await create('relational');
    expect(existsSync(folders.imageOf(order.databaseId))).toBe(true);
    const size = await sizeOf(order);
    expect(size).toBeLessThan(700 * MIB);
    const fill = 'CREATE TABLE large AS SELECT repeat(md5(generate_series(1, 5000000)::text), 30) AS text';
    await expect(queried(order, ['CREATE TABLE kept AS SELECT 1 AS id', fill])).rejects.toThrow(
      /No space left|terminated|ended unexpectedly/,
    );
    await databases.ensure(order);
    expect(await queried(order, ['SELECT id FROM kept'])).toEqual([{ id: 1 }]);
    await kill(order);
    await databases.ensure(order);
    expect(await queried(order, [WRITABLE, 'INSERT INTO kept VALUES (2)', 'SELECT count(*)::int FROM kept'])).toEqual([
      { count: 2 },
    ]);
  });

  it('becomes read-only at the limit of the plan, before the volume is full', async () => {
    const order = await create('relational');
    const fill = 'CREATE TABLE large AS SELECT repeat(md5(n::text), 30) AS text FROM generate_series(1, 100000) n';
    await queried(order, [fill]);
    const state = await databases.enforceStorage(order.databaseId);
    expect(state?.readOnly).toBe(true);
    expect(state?.usedBytes).toBeGreaterThan(LIMITS.storageBytes);
    await expect(queried(order, ['CREATE TABLE more (id int)'])).rejects.toThrow('read-only');
  });

  it('grows with the limits at the next start of the server', async () => {
    const order = await create('relational');
    const before = await sizeOf(order);
    const larger = { ...order, limits: { ...order.limits, storageBytes: 512 * MIB } };
    await databases.ensure(larger);
    expect(await sizeOf(order)).toBe(before);
    await kill(order);
    await databases.ensure(larger);
    expect(await sizeOf(order)).toBeGreaterThan(before + 400 * MIB);
  });

  it('is mounted again after a restart of the machine, and found by the next agent', async () => {
    const order = await create('relational');
    await queried(order, ['CREATE TABLE kept AS SELECT 7 AS id']);
    await databases.stopAll();
    expect(existsSync(folders.dataOf(order.databaseId))).toBe(false);
    databases = new LocalDatabases(home, PLACES, { ...frames, images });
    await databases.ensure(order);
    expect(await queried(order, ['SELECT id FROM kept'])).toEqual([{ id: 7 }]);
  });

  it('is given by a restore to a database from before the machine had images; until then the data stay in their folder', async () => {
    const earlier = new LocalDatabases(home, PLACES, frames);
    const order = await create('relational', earlier);
    await queried(order, ['CREATE TABLE kept AS SELECT 5 AS id']);
    await databases.ensure(order);
    expect(existsSync(folders.imageOf(order.databaseId))).toBe(false);
    const signal = new AbortController().signal;
    const [backupId, restoreId] = [uuidv7(), uuidv7()];
    const { digest } = await databases.backUp(order.databaseId, backupId, signal);
    for (const id of [restoreId, uuidv7()]) {
      await queried(order, ['DROP TABLE kept']);
      await databases.restore({ order, restoreId: id, backupId, digest }, signal);
      expect(await queried(order, ['SELECT id FROM kept'])).toEqual([{ id: 5 }]);
      expect(existsSync(folders.imageOf(order.databaseId))).toBe(true);
      expect(existsSync(join(folders.pathOf(order.databaseId), 'replaced'))).toBe(false);
    }
    expect(await administered(home, order, ['SHOW cluster_name'])).toEqual([{ cluster_name: order.databaseId }]);
  });

  it('leaves neither a mount nor a loop device when the database is removed', async () => {
    const order = await create('relational');
    await databases.remove(order.databaseId);
    made.pop();
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(order.databaseId);
    expect(existsSync(folders.pathOf(order.databaseId))).toBe(false);
  });

  (findValkey(PLACES) ? it : it.skip)(
    'limits a key-value store, which refuses writes, says so and can be read while it is full',
    async () => {
      const order = await create('key_value');
      const login = `AUTH app ${order.password}`;
      const filler = join(folders.volumeOf(order.databaseId), 'filler');
      expect(await replied(order, login, 'SET a 1')).toEqual(['+OK', '+OK']);
      await writeFile(filler, Buffer.alloc(256 * MIB)).catch(() => undefined);
      expect(await databases.enforceStorage(order.databaseId)).toMatchObject({ readOnly: true });
      const value = 'x'.repeat(60_000);
      await waitFor(async () => (await replied(order, login, `SET b ${value}`))[1]?.startsWith('-MISCONF') ?? false);
      expect(await replied(order, login, 'GET a')).toEqual(['+OK', '$1', '1']);
      await rm(filler);
      await waitFor(async () => (await replied(order, login, 'SET a 2'))[1] === '+OK');
      expect(await databases.enforceStorage(order.databaseId)).toMatchObject({ readOnly: false });
    },
  );
});
