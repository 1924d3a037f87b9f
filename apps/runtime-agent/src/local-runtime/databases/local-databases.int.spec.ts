import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DatabaseLimits, DatabaseOrder } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { LocalDatabases } from './local-databases.js';
import { processesOf, send, usageOf } from './processes.js';
import { ResourceBounds } from './resource-bounds.js';
import { stopDatabases } from './stop-databases.js';
import { closedDatabases, openedDatabases, orderFor, PLACES } from './testing/provided-database.js';

const FILES = ['configuration', 'data', 'lock', 'record.json', 'server.log', 'socket'];
const FRAMES = { sandboxFrames: KEPT_FRAMES };

let home: string;
let databases: LocalDatabases;
beforeEach(async () => {
  ({ home, databases } = await openedDatabases());
});
afterEach(() => closedDatabases(home, databases));

const order = (limits: Partial<DatabaseLimits> = {}): Promise<DatabaseOrder> =>
  orderFor(databases, 'relational', limits);

const provisioned = async (limits?: Partial<DatabaseLimits>): Promise<DatabaseOrder> => {
  const made = await order(limits);
  await databases.ensure(made);
  return made;
};

const connected = async <Result>(
  { username, password, host, port }: DatabaseOrder,
  work: (client: pg.Client) => Promise<Result>,
  overrides: pg.ClientConfig = {},
): Promise<Result> => {
  const client = new pg.Client({ host, port, user: username, password, database: username, ...overrides });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
};

const processesBelow = async ({ databaseId }: DatabaseOrder): Promise<number[]> =>
  processesOf({ folder: join(home, 'databases', databaseId, 'data'), uid: undefined });

describe('a relational database', () => {
  it('accepts its customer only with the right password, as owner of a database and not as superuser', async () => {
    const made = await provisioned();
    const { rows } = await connected(made, async client => {
      await client.query('CREATE TABLE orders (id int)');
      return client.query('SELECT current_database() AS name, rolsuper FROM pg_roles WHERE rolname = current_user');
    });
    expect(rows).toEqual([{ name: 'app', rolsuper: false }]);
    await expect(connected({ ...made, password: 'guess' }, async () => undefined)).rejects.toThrow('password');
    const program = connected(made, client => client.query("COPY orders FROM PROGRAM 'id'"));
    await expect(program).rejects.toThrow('to or from an external program');
  });

  it('is not changed by a repeated order', async () => {
    const made = await provisioned();
    await connected(made, client => client.query('CREATE TABLE kept (id int)'));
    const before = await processesBelow(made);
    await databases.ensure(made);
    await new LocalDatabases(home, PLACES, FRAMES).ensure(made);
    expect(await processesBelow(made)).toEqual(expect.arrayContaining([before[0]]));
    await expect(connected(made, client => client.query('SELECT * FROM kept'))).resolves.toHaveProperty('rows', []);
  });

  it('runs as a separate user if the platform runs as root', async () => {
    const made = await provisioned();
    const [pid] = await processesBelow(made);
    const uid = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    const isRoot = process.getuid?.() === 0;
    expect(Number(uid)).toBe(isRoot ? 62_000 + made.port - 10_000 : process.getuid?.());
  });

  it('is started again with its data after it was killed', async () => {
    const made = await provisioned();
    await connected(made, client => client.query('CREATE TABLE kept (id int)'));
    for (const pid of await processesBelow(made)) send(pid, 'SIGKILL');
    await waitFor(async () => !(await databases.isRunning(made.databaseId)));
    await databases.ensure(made);
    expect(await databases.isRunning(made.databaseId)).toBe(true);
    await connected(made, client => client.query('SELECT * FROM kept'));
  });

  it('is started again if only its server was killed and its other processes are still ending', async () => {
    const made = await provisioned();
    const [server] = await processesBelow(made);
    send(server as number, 'SIGKILL');
    await databases.ensure(made);
    await connected(made, client => client.query('SELECT 1'));
  });

  it('has the limits of its plan, even if the customer sets higher ones', async () => {
    const made = await provisioned({ connections: 3 });
    const show = (name: string) => connected(made, async client => (await client.query(`SHOW ${name}`)).rows[0][name]);
    expect(await show('shared_buffers')).toBe('64MB');
    const connectionsNow = (count: number): Promise<boolean> =>
      count === 0 ? Promise.resolve(true) : connected(made, () => connectionsNow(count - 1));
    // Connections that were just closed may still count.
    await waitFor(() => connectionsNow(3));
    await expect(connectionsNow(4)).rejects.toThrow(/connections?\b/);
    expect(await databases.isRunning(made.databaseId)).toBe(true);
    await expect(connected(made, client => client.query('ALTER SYSTEM SET work_mem = 1000'))).rejects.toThrow(
      'permission',
    );
  });

  it('becomes read-only above its storage limit, and writable again below it', async () => {
    const made = await provisioned({ storageBytes: 110 * 1024 ** 2 });
    await connected(made, async client => {
      await client.query('CREATE UNLOGGED TABLE bulk (megabyte text)');
      await client.query('ALTER TABLE bulk ALTER COLUMN megabyte SET STORAGE EXTERNAL');
      expect(await databases.enforceStorage(made.databaseId)).toMatchObject({ readOnly: false });
      await client.query("INSERT INTO bulk SELECT repeat('x', 1048576) FROM generate_series(1, 80)");
    });
    expect(await databases.enforceStorage(made.databaseId)).toMatchObject({ readOnly: true });
    const write = (statement: string) =>
      connected(made, client => client.query(statement)).then(
        () => 'written',
        ({ message }: Error) => message,
      );
    await waitFor(async () => (await write('CREATE TABLE refused ()')).includes('read-only transaction'));
    await connected(made, async client => {
      await client.query('SET default_transaction_read_only = off');
      await client.query('DROP TABLE bulk');
    });
    await waitFor(async () => (await databases.enforceStorage(made.databaseId))?.readOnly === false);
    await waitFor(async () => (await write('CREATE TABLE again ()')) === 'written');
  });

  it('reports its usage, and none if it does not run', async () => {
    const made = await provisioned();
    const idle = await databases.usageOf(made.databaseId);
    expect(idle?.memoryBytes).toBeGreaterThan(5 * 1024 ** 2);
    expect(idle?.memoryBytes).toBeLessThan(200 * 1024 ** 2);
    expect(idle?.memoryPercent).toBeCloseTo(((idle?.memoryBytes ?? 0) / made.limits.memoryBytes) * 100);
    const shown = await connected(made, client => client.query('SHOW server_version'));
    expect(idle?.serverVersion).toBe(shown.rows[0].server_version.split('.')[0]);
    await connected(made, client =>
      client.query("CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 20000)"),
    );
    const filled = await databases.usageOf(made.databaseId);
    expect((filled?.storageBytes ?? 0) - (idle?.storageBytes ?? 0)).toBeGreaterThan(15e6);
    const busy = connected(made, client => client.query('DO $$ BEGIN LOOP END LOOP; END $$'));
    const ended = expect(busy).rejects.toThrow();
    await waitFor(async () => ((await databases.usageOf(made.databaseId))?.cpuMillicores ?? 0) > 100);
    await stopDatabases(home);
    await ended;
    expect(await databases.usageOf(made.databaseId)).toBeUndefined();
  });

  it('gets no more CPU time than its plan allows, if the machine has control groups', async () => {
    const made = await provisioned();
    const pids = await processesBelow(made);
    const isHeld = await new ResourceBounds().hold(made.databaseId, pids, made.limits);
    const cpuSeconds = async () => usageOf(await processesBelow(made)).cpuSeconds;
    await connected(made, async client => {
      const before = { at: Date.now(), cpu: await cpuSeconds() };
      await client.query(
        "DO $$ BEGIN WHILE clock_timestamp() < statement_timestamp() + interval '2 s' LOOP END LOOP; END $$",
      );
      const cores = ((await cpuSeconds()) - before.cpu) / ((Date.now() - before.at) / 1000);
      expect(cores).toBeLessThan(isHeld ? 0.4 : 1.5);
    });
  });

  it('leaves nothing when it is removed, also repeatedly', async () => {
    const made = await provisioned();
    for (let n = 0; n < 2; n++) await databases.remove(made.databaseId);
    expect(await processesBelow(made)).toEqual([]);
    expect(await databases.isRunning(made.databaseId)).toBe(false);
    expect(existsSync(join(home, 'databases', made.databaseId))).toBe(false);
    expect(await readdir(join(home, 'databases', 'ports'))).toEqual([]);
    for (const hierarchy of ['', 'cpu', 'memory'])
      expect(existsSync(join('/sys/fs/cgroup', hierarchy, 'postern-databases', made.databaseId))).toBe(false);
  });

  it('is created from the beginning if the platform was killed during its creation', async () => {
    const interrupted = await order();
    const folder = join(home, 'databases', interrupted.databaseId);
    await mkdir(join(folder, 'draft-cut-off'));
    await writeFile(join(folder, 'draft-cut-off', 'PG_VERSION'), '18');
    await databases.ensure(interrupted);
    expect((await readdir(folder)).sort()).toEqual(FILES);
    await connected(interrupted, client => client.query('SELECT 1'));
  });

  it('has its password in no file and no process argument', async () => {
    const made = await provisioned();
    await connected({ ...made, password: 'guess' }, async () => undefined).catch(() => undefined);
    const pids = await processesBelow(made);
    const lines = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
    expect(lines.join(' ')).not.toContain(made.password);
    const files = await readdir(join(home, 'databases'), { recursive: true, withFileTypes: true });
    for (const file of files.filter(entry => entry.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), 'latin1').catch(() => '');
      expect([file.name, text.includes(made.password)]).toEqual([file.name, false]);
    }
  });
});

describe('databases side by side', () => {
  it('are isolated: one does not accept the credentials of another', async () => {
    const [one, other] = await Promise.all([provisioned(), provisioned()]);
    expect(one.port).not.toBe(other.port);
    await expect(connected({ ...one, port: other.port }, async () => undefined)).rejects.toThrow('password');
  });

  it('are removed if they are unknown to the control plane, and kept if they are known', async () => {
    const [known, stranger] = await Promise.all([provisioned(), provisioned()]);
    const reservation = await order();
    await new LocalDatabases(home, PLACES, FRAMES).retain(new Set([known.databaseId]));
    expect(await processesBelow(stranger)).toEqual([]);
    expect(existsSync(join(home, 'databases', stranger.databaseId))).toBe(false);
    expect(await databases.isRunning(known.databaseId)).toBe(true);
    expect(existsSync(join(home, 'databases', reservation.databaseId))).toBe(true);
  });

  it('can be reserved while unknown ones are being removed', async () => {
    let reserving = true;
    const removals = (async () => {
      while (reserving) await databases.retain(new Set());
    })();
    const ids = Array.from({ length: 100 }, () => uuidv7());
    const reserved = await Promise.all(ids.map(id => databases.reserve(id, 'relational'))).finally(() => {
      reserving = false;
    });
    await removals;
    expect(new Set(reserved.map(({ port }) => port)).size).toBe(100);
    for (const [index, id] of ids.entries()) expect(await databases.reserve(id, 'relational')).toEqual(reserved[index]);
  });

  it('get one port if they are reserved twice at the same time', async () => {
    const id = uuidv7();
    const [one, other] = await Promise.all([databases.reserve(id, 'relational'), databases.reserve(id, 'relational')]);
    expect(other).toEqual(one);
    expect(await readdir(join(home, 'databases', 'ports'))).toEqual([String(one.port)]);
    expect((await readdir(join(home, 'databases'))).sort()).toEqual([id, 'ports']);
  });

  it('shut down cleanly when the local start stops, and start again with their data', async () => {
    const made = await provisioned();
    await connected(made, client => client.query('CREATE TABLE kept (id int)'));
    await stopDatabases(home);
    expect(await processesBelow(made)).toEqual([]);
    await databases.ensure(made);
    await connected(made, client => client.query('SELECT * FROM kept'));
  });
});
