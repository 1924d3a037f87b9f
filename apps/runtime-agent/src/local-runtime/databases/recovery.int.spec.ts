import { existsSync } from 'node:fs';
import { readdir, rm, stat, truncate, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { instant, waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { LocalDatabases } from './local-databases.js';
import {
  administered,
  closedDatabases,
  openedDatabases,
  PLACES,
  provided,
  queried,
} from './testing/provided-database.js';

jest.setTimeout(240_000);
const NEVER = new AbortController().signal;
const FRAMES = { sandboxFrames: KEPT_FRAMES };

let home: string;
let databases: LocalDatabases;
beforeEach(async () => {
  ({ home, databases } = await openedDatabases());
});
afterEach(() => closedDatabases(home, databases));

const query = (order: DatabaseOrder, text: string) => queried(order, [text]);
const ids = async (order: DatabaseOrder) =>
  (await query(order, 'SELECT id FROM orders ORDER BY id')).map(({ id }) => id);
const folderOf = ({ databaseId }: DatabaseOrder) => join(home, 'databases', databaseId);

/** A database with the row 1 in a backup. */
const backedUp = async () => {
  const source = await provided(databases, 'relational');
  await query(source, 'CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)');
  const backupId = uuidv7();
  const { digest } = await databases.backUp(source.databaseId, backupId, NEVER);
  return { source, backup: { backupId, digest, sourceId: source.databaseId } };
};

/** Orders for a database that does not exist yet. */
const newDatabase = async (source: DatabaseOrder): Promise<DatabaseOrder> => {
  const databaseId = uuidv7();
  const place = await databases.reserve(databaseId, source.kind);
  return { ...source, ...place, databaseId, password: 'of-the-new-one' };
};

/** Ends a segment, and archives until the server does not wait for it any more. */
const untilConfirmed = async (archiving: LocalDatabases, order: DatabaseOrder): Promise<void> => {
  await administered(home, order, ['SELECT pg_switch_wal()']);
  const archived = 'SELECT archived_count::int AS count FROM pg_stat_archiver';
  await waitFor(
    async () => {
      await archiving.archive();
      return Number((await administered(home, order, [archived]))[0]?.['count']) > 0;
    },
    { timeoutMs: 120_000 },
  );
};

describe('a restore into a new database', () => {
  it('has the rows of the backup and credentials of its own, and leaves the source alone', async () => {
    const { source, backup } = await backedUp();
    await query(source, 'INSERT INTO orders VALUES (2)');
    const order = await newDatabase(source);
    await databases.restore({ order, restoreId: uuidv7(), ...backup }, NEVER);
    expect(await ids(order)).toEqual([1]);
    await expect(ids({ ...order, password: source.password })).rejects.toThrow('password');
    await query(order, 'INSERT INTO orders VALUES (3)');
    expect(await ids(source)).toEqual([1, 2]);
  });
});

it('a database of which only the backups are left, as on a new machine, starts empty and is restored from one', async () => {
  const { source, backup } = await backedUp();
  await databases.stopAll();
  for (const name of await readdir(folderOf(source)))
    if (name !== 'backups') await rm(join(folderOf(source), name), { recursive: true });
  await databases.ensure(source);
  await expect(ids(source)).rejects.toThrow('does not exist');
  const { backupId, digest } = backup;
  await databases.restore({ order: source, restoreId: uuidv7(), backupId, digest }, NEVER);
  expect(await ids(source)).toEqual([1]);
});

describe('a recovery to a point in time', () => {
  it('has exactly the rows that were committed until then, again and again', async () => {
    const { source, backup } = await backedUp();
    await query(source, 'INSERT INTO orders VALUES (2)');
    const targetTime = await instant();
    await query(source, 'INSERT INTO orders VALUES (3); DELETE FROM orders WHERE id = 1');

    const recovered = await newDatabase(source);
    await databases.restore({ order: recovered, restoreId: uuidv7(), ...backup, targetTime }, NEVER);
    expect(await ids(recovered)).toEqual([1, 2]);
    expect(await ids(source)).toEqual([2, 3]);
    await expect(ids({ ...recovered, password: source.password })).rejects.toThrow('password');

    // The new database is recovered in its turn, from its own archive.
    const second = uuidv7();
    const { digest } = await databases.backUp(recovered.databaseId, second, NEVER);
    await query(recovered, 'INSERT INTO orders VALUES (4)');
    const later = await instant();
    await query(recovered, 'DELETE FROM orders');
    const again = await newDatabase(source);
    const from = { backupId: second, digest, sourceId: recovered.databaseId };
    await databases.restore({ order: again, restoreId: uuidv7(), ...from, targetTime: later }, NEVER);
    expect(await ids(again)).toEqual([1, 2, 4]);
    expect(existsSync(join(folderOf(again), 'restore'))).toBe(false);
  });

  it('is possible from the end of the first backup until now, also after a restore in place', async () => {
    const { source, backup } = await backedUp();
    const { databaseId } = source;
    const before = await databases.recoveryOf(databaseId);
    expect(before).toEqual({
      ranges: [{ backupId: backup.backupId, earliest: expect.any(String), latest: expect.any(String) }],
    });
    await query(source, 'INSERT INTO orders VALUES (2)');
    const targetTime = await instant();
    await databases.restore({ order: source, restoreId: uuidv7(), ...backup }, NEVER);
    expect(await ids(source)).toEqual([1]);
    const after = await databases.recoveryOf(databaseId);
    expect(after?.problem).toBe('the newest changes can be recovered after the next backup');
    expect(Date.parse(after?.ranges[0]?.latest ?? '')).toBeGreaterThan(Date.parse(targetTime));
    await query(source, 'INSERT INTO orders VALUES (5)');

    const recovered = await newDatabase(source);
    await databases.restore({ order: recovered, restoreId: uuidv7(), ...backup, targetTime }, NEVER);
    expect(await ids(recovered)).toEqual([1, 2]);
  });

  it('is refused in words for a time that the archive does not have, and leaves nothing', async () => {
    const { source, backup } = await backedUp();
    const order = await newDatabase(source);
    const targetTime = '2020-01-01T00:00:00.000Z';
    const recovery = databases.restore({ order, restoreId: uuidv7(), ...backup, targetTime }, NEVER);
    await expect(recovery).rejects.toThrow(`its changes until ${targetTime} are not in the archive`);
    expect((await readdir(folderOf(order))).sort()).toEqual(['record.json']);
  });

  it('is refused in words on a full disk, which also ends the archive until the next backup', async () => {
    const { source, backup } = await backedUp();
    const full = new LocalDatabases(home, PLACES, { ...FRAMES, spareBytes: 2 ** 60 });
    const order = await newDatabase(source);
    const restore = { order, restoreId: uuidv7(), ...backup, targetTime: await instant() };
    await expect(full.restore(restore, NEVER)).rejects.toThrow('the disk of the platform is too full');
    await untilConfirmed(full, source);
    expect((await full.recoveryOf(source.databaseId))?.problem).toBe(
      'the disk of the platform is too full to keep changes',
    );
    expect(existsSync(join(folderOf(source), 'wal/first'))).toBe(false);
    const wanted = { problem: 'the newest changes can be recovered after the next backup', ranges: [] };
    expect(await databases.recoveryOf(source.databaseId)).toEqual(wanted);
  });

  it('keeps the archive from growing without a backup, and the database from waiting for it', async () => {
    const source = await provided(databases, 'relational');
    await untilConfirmed(databases, source);
    expect(await readdir(join(folderOf(source), 'wal/first'))).toEqual([]);
  });

  it('damaged segments are an error, and no earlier data', async () => {
    const { source, backup } = await backedUp();
    await query(source, 'INSERT INTO orders VALUES (2)');
    const targetTime = await instant();
    await administered(home, source, ['SELECT pg_current_xact_id()', 'SELECT pg_switch_wal()']);
    const folder = join(folderOf(source), 'wal/first');
    await waitFor(async () => {
      await databases.archive();
      return existsSync(folder) && (await readdir(folder)).length > 0;
    });
    for (const name of await readdir(folder)) await writeDamage(join(folder, name));
    const order = await newDatabase(source);
    const recovery = databases.restore({ order, restoreId: uuidv7(), ...backup, targetTime }, NEVER);
    await expect(recovery).rejects.toThrow('the server did not start');
    expect(existsSync(join(folderOf(order), 'restore'))).toBe(false);
  });

  it('is removed with the new database while it runs', async () => {
    const { source, backup } = await backedUp();
    const order = await newDatabase(source);
    const targetTime = await instant();
    const recovery = databases.restore({ order, restoreId: uuidv7(), ...backup, targetTime }, NEVER);
    recovery.catch(() => undefined);
    await waitFor(async () => existsSync(join(folderOf(order), 'restore/data')), { intervalMs: 1 });
    await databases.remove(order.databaseId);
    await expect(recovery).rejects.toThrow();
    expect(existsSync(folderOf(order))).toBe(false);
    expect(await ids(source)).toEqual([1]);
  });
});

/** Keeps the time of the file, which is that of the end of its segment. */
const writeDamage = async (file: string): Promise<void> => {
  const { size, atime, mtime } = await stat(file);
  await truncate(file, size >> 1);
  await utimes(file, atime, mtime);
};
