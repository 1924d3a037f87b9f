import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DatabaseKind, DatabaseOrder } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { LocalDatabases } from './local-databases.js';
import { findValkey } from './programs.js';
import { closedDatabases, openedDatabases, PLACES, provided, queried } from './testing/provided-database.js';

jest.setTimeout(240_000);
const run = promisify(execFile);
const NEVER = new AbortController().signal;

const FRAMES = { sandboxFrames: KEPT_FRAMES };

let home: string;
let databases: LocalDatabases;
beforeEach(async () => {
  ({ home, databases } = await openedDatabases());
});
afterEach(() => closedDatabases(home, databases));

const running = (kind: DatabaseKind): Promise<DatabaseOrder> => provided(databases, kind);
const query = (order: DatabaseOrder, text: string) => queried(order, [text]);

const folderOf = ({ databaseId }: DatabaseOrder) => join(home, 'databases', databaseId);
const recordOf = async (order: DatabaseOrder) =>
  JSON.parse(await readFile(join(folderOf(order), 'record.json'), 'utf8')) as Record<string, unknown>;
const namesOf = ({ databaseId }: DatabaseOrder) => readdir(join(home, 'databases', databaseId));

/** Makes a database with the row 1, backs it up, then adds the row 2. */
const backedUp = async () => {
  const order = await running('relational');
  await query(order, 'CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)');
  const backupId = uuidv7();
  const backup = await databases.backUp(order.databaseId, backupId, NEVER);
  await query(order, 'INSERT INTO orders VALUES (2)');
  return { order, restoreId: uuidv7(), backupId, ...backup };
};
const ids = async (order: DatabaseOrder) => query(order, 'SELECT id FROM orders ORDER BY id');

describe('a backup of a relational database', () => {
  it('restores the data of the time of the backup, with the current password', async () => {
    const { order, ...backup } = await backedUp();
    const rotated = { ...order, password: 'another-password' };
    await databases.restore({ order: rotated, ...backup }, NEVER);
    expect(await ids(rotated)).toEqual([{ id: 1 }]);
    await expect(ids(order)).rejects.toThrow('password');
    await query(rotated, 'INSERT INTO orders VALUES (3)');
    expect((await namesOf(order)).sort()).toEqual([
      ...['backups', 'configuration', 'data', 'lock', 'record.json', 'server.log', 'socket', 'wal'],
    ]);
  });

  it('is made while clients write, and contains a consistent state', async () => {
    const order = await running('relational');
    await query(order, 'CREATE TABLE pairs (a int, b int); CREATE INDEX ON pairs (a)');
    let writing = true;
    const written = (async () => {
      for (let n = 0; writing; n++)
        await query(order, `INSERT INTO pairs SELECT ${n}, ${n} FROM generate_series(1, 500)`);
    })();
    const backupId = uuidv7();
    const { digest } = await databases.backUp(order.databaseId, backupId, NEVER);
    writing = false;
    await written;
    await databases.restore({ order, restoreId: uuidv7(), backupId, digest }, NEVER);
    const partial = 'SELECT a FROM pairs GROUP BY a HAVING count(*) <> 500';
    expect(await query(order, partial)).toEqual([]);
  });

  it('is readable only for the platform, and smaller than the data', async () => {
    const { order, backupId, sizeBytes } = await backedUp();
    const folder = join(folderOf(order), 'backups');
    const { mode: ofFolder } = await stat(folder);
    const { mode: ofFile, size } = await stat(join(folder, `${backupId}.zst`));
    expect([ofFolder & 0o777, ofFile & 0o777]).toEqual([0o700, 0o600]);
    expect(size).toBe(sizeBytes);
    expect(sizeBytes).toBeLessThan(20 * 1024 ** 2);
  });

  it('is made once, and deleted when it is not retained', async () => {
    const { order, backupId, sizeBytes, digest } = await backedUp();
    expect(await databases.backUp(order.databaseId, backupId, NEVER)).toEqual({ sizeBytes, digest });
    await databases.retainBackups(order.databaseId, new Set([backupId]));
    expect(await readdir(join(folderOf(order), 'backups'))).toEqual([`${backupId}.zst`]);
    await databases.retainBackups(order.databaseId, new Set());
    expect(await readdir(join(folderOf(order), 'backups'))).toEqual([]);
  });

  it('leaves no files if it is cancelled', async () => {
    const order = await running('relational');
    const cancelled = databases.backUp(order.databaseId, uuidv7(), AbortSignal.timeout(1));
    await expect(cancelled).rejects.toThrow('abort');
    expect(await readdir(join(folderOf(order), 'backups'))).toEqual([]);
    await databases.backUp(order.databaseId, uuidv7(), NEVER);
  });

  it('is refused if it could fill the disk', async () => {
    const order = await running('relational');
    const full = new LocalDatabases(home, PLACES, { ...FRAMES, spareBytes: 2 ** 60 });
    const message = /the disk of the platform is too full: \d+ MiB must be free, but only \d+ MiB are/;
    await expect(full.backUp(order.databaseId, uuidv7(), NEVER)).rejects.toThrow(message);
  });

  it('is refused for a database that does not run', async () => {
    const order = await running('relational');
    await databases.stopAll();
    await expect(databases.backUp(order.databaseId, uuidv7(), NEVER)).rejects.toThrow('does not run');
  });
});

describe('a restore is atomic:', () => {
  it('a damaged backup changes nothing', async () => {
    const { order, backupId, ...rest } = await backedUp();
    const file = join(folderOf(order), 'backups', `${backupId}.zst`);
    const bytes = await readFile(file);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    await writeFile(file, bytes);
    await expect(databases.restore({ order, backupId, ...rest }, NEVER)).rejects.toThrow('the backup is damaged');
    expect(await ids(order)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('data with which the server does not start change nothing', async () => {
    const { order, ...backup } = await backedUp();
    // A data folder that contains nothing but its version.
    const version = await readFile(join(folderOf(order), 'data/PG_VERSION'));
    await mkdir(join(home, 'incomplete'));
    await writeFile(join(home, 'incomplete/PG_VERSION'), version);
    const { stdout } = await run('tar', ['-c', '-C', join(home, 'incomplete'), '.'], { encoding: 'buffer' });
    const incomplete = zstdCompressSync(stdout);
    await writeFile(join(folderOf(order), 'backups', `${backup.backupId}.zst`), incomplete);
    const digest = createHash('sha256').update(incomplete).digest('hex');
    const impatient = new LocalDatabases(home, PLACES, { ...FRAMES, startTimeoutMs: 5_000 });
    const damaged = impatient.restore({ order, ...backup, digest }, NEVER);
    await expect(damaged).rejects.toThrow('did not start');
    expect(await ids(order)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(existsSync(join(folderOf(order), 'restore'))).toBe(false);
  }, 120_000);

  it('a full disk changes nothing', async () => {
    const { order, ...backup } = await backedUp();
    const full = new LocalDatabases(home, PLACES, { ...FRAMES, spareBytes: 2 ** 60 });
    await expect(full.restore({ order, ...backup }, NEVER)).rejects.toThrow('the disk of the platform is too full');
    expect(await ids(order)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('a repeated restore changes nothing', async () => {
    const { order, ...backup } = await backedUp();
    await databases.restore({ order, ...backup }, NEVER);
    await query(order, 'INSERT INTO orders VALUES (3)');
    await databases.restore({ order, ...backup }, NEVER);
    expect(await ids(order)).toEqual([{ id: 1 }, { id: 3 }]);
  });

  it('one that was interrupted before its data were ready is discarded, with its trial server', async () => {
    const { order, ...backup } = await backedUp();
    await databases.restore({ order, ...backup }, NEVER);
    // The state after a kill while the data are being unpacked.
    await databases.stopAll();
    await databases.ensure(order);
    await cp(join(folderOf(order), 'data'), join(folderOf(order), 'restore', 'data'), { recursive: true });
    await databases.restore({ order, ...backup, restoreId: uuidv7() }, NEVER);
    expect(await ids(order)).toEqual([{ id: 1 }]);
    expect(existsSync(join(folderOf(order), 'restore'))).toBe(false);
  });

  it.each(['neither folder', 'the old data', 'both folders'])(
    'one that was interrupted when %s had been moved is completed by the next start',
    async moved => {
      const { order, ...backup } = await backedUp();
      const folder = folderOf(order);
      await databases.restore({ order, ...backup }, NEVER);
      await query(order, 'INSERT INTO orders VALUES (4)');
      await databases.stopAll();
      // The state after a kill. Here, the restored data have the row 4, and the replaced data are an older copy.
      const keep = { recursive: true, preserveTimestamps: true };
      await cp(join(folder, 'data'), join(folder, 'older'), keep);
      await own(join(folder, 'older'), (await stat(join(folder, 'data'))).uid);
      if (moved === 'both folders') await rename(join(folder, 'older'), join(folder, 'replaced'));
      else {
        await mkdir(join(folder, 'restore'));
        await rename(join(folder, 'data'), join(folder, 'restore', 'data'));
        await rename(join(folder, 'older'), join(folder, moved === 'the old data' ? 'replaced' : 'data'));
      }
      const restoreId = uuidv7();
      const record = { ...(await recordOf(order)), completing: restoreId };
      await writeFile(join(folder, 'record.json'), JSON.stringify(record));

      await databases.ensure(order);
      expect(await ids(order)).toEqual([{ id: 1 }, { id: 4 }]);
      expect(await recordOf(order)).toMatchObject({ restored: restoreId });
      expect((await namesOf(order)).filter(name => ['restore', 'replaced', 'older'].includes(name))).toEqual([]);
    },
  );
});

describe('removing a database', () => {
  it.each(['.', 'restore/data', 'restore/data/postmaster.pid'])(
    'deletes its backups and ends a restore as soon as %s exists',
    async path => {
      const { order, ...backup } = await backedUp();
      const restored = databases.restore({ order, ...backup }, NEVER);
      restored.catch(() => undefined);
      await waitFor(async () => existsSync(join(folderOf(order), path)), { intervalMs: 1 });
      await databases.remove(order.databaseId);
      await expect(restored).rejects.toThrow(path === '.' ? /cancelled|aborted/ : undefined);
      expect(existsSync(folderOf(order))).toBe(false);
    },
  );
});

const machineHasValkey = findValkey(PLACES) !== undefined;

describe(`a backup of a key-value store on a machine ${machineHasValkey ? 'with' : 'without'} a server for it`, () => {
  it(machineHasValkey ? 'restores what was stored when it was made' : 'is not made', async () => {
    if (!machineHasValkey) {
      await expect(databases.backUp(uuidv7(), uuidv7(), NEVER)).rejects.toThrow('no such database');
      return;
    }
    const order = await running('key_value');
    await execute(order, `AUTH app ${order.password}`, 'SET kept 1');
    const backupId = uuidv7();
    const { digest } = await databases.backUp(order.databaseId, backupId, NEVER);
    await execute(order, `AUTH app ${order.password}`, 'SET kept 2', 'SET later 1');
    const rotated = { ...order, password: 'another-password' };
    await databases.restore({ order: rotated, restoreId: uuidv7(), backupId, digest }, NEVER);
    expect(await execute(rotated, `AUTH app ${rotated.password}`, 'EXISTS later', 'GET kept')).toEqual([
      '+OK',
      ':0',
      '$1',
      '1',
    ]);
    // The restored data are kept over a restart.
    await execute(rotated, `AUTH app ${rotated.password}`, 'SET after 1');
    await databases.stopAll();
    await databases.ensure(rotated);
    expect(await execute(rotated, `AUTH app ${rotated.password}`, 'EXISTS kept after')).toEqual(['+OK', ':2']);
  });

  it(machineHasValkey ? 'is restored into a new store, and leaves the other one alone' : 'has none', async () => {
    if (!machineHasValkey) return expect(await databases.missingFor('key_value')).toContain('install');
    const source = await running('key_value');
    await execute(source, `AUTH app ${source.password}`, 'SET kept 1');
    const backupId = uuidv7();
    const { digest } = await databases.backUp(source.databaseId, backupId, NEVER);
    await execute(source, `AUTH app ${source.password}`, 'SET kept 2');
    const databaseId = uuidv7();
    const order = { ...source, ...(await databases.reserve(databaseId, 'key_value')), databaseId, password: 'new' };
    const sourceId = source.databaseId;
    await databases.restore({ order, restoreId: databaseId, backupId, digest, sourceId }, NEVER);
    expect(await execute(order, 'AUTH app new', 'GET kept', 'SET kept 3')).toEqual(['+OK', '$1', '1', '+OK']);
    expect(await execute(source, `AUTH app ${source.password}`, 'GET kept')).toEqual(['+OK', '$1', '2']);
    expect(await execute(order, `AUTH app ${source.password}`)).toEqual([expect.stringContaining('WRONGPASS')]);
  });

  it(machineHasValkey ? 'takes a new password while it runs' : 'needs none', async () => {
    if (!machineHasValkey) return expect(await databases.missingFor('key_value')).toContain('install');
    const order = await running('key_value');
    await databases.ensure({ ...order, password: 'another-password' });
    expect(await execute(order, `AUTH app ${order.password}`)).toEqual([expect.stringContaining('WRONGPASS')]);
    expect(await execute(order, 'AUTH app another-password')).toEqual(['+OK']);
  });
});

/** Sets the owner of a tree to the user of a database. */
const own = async (path: string, uid: number): Promise<void> => {
  for (const name of await readdir(path, { recursive: true })) await chown(join(path, name), uid, uid);
  await chown(path, uid, uid);
};

/** Sends inline commands and returns the lines of their replies. */
const execute = ({ host, port }: DatabaseOrder, ...commands: string[]): Promise<string[]> =>
  new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host, port });
    socket.on('error', reject).on('data', chunk => {
      received += chunk;
    });
    socket.on('close', () => resolve(received.split('\r\n').slice(0, -1)));
    socket.write([...commands, 'QUIT'].map(command => `${command}\r\n`).join(''));
  }).then(lines => (lines as string[]).slice(0, -1));
