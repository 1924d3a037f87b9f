import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteDatabase, getDatabase, listDatabases } from '@postern/contracts';
import { processesWith } from '@postern/runtime/testing';
import { killProcess, waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { connected } from '../testing/database-client.js';
import { type CreatedDatabase, DatabasesFixture } from '../testing/databases-fixture.js';
import { refusalCode as codeOf } from '../testing/refusal-code.js';

const lines: string[] = [];
const write = (fields: object, message: string): void => {
  lines.push(`${message} ${inspect(fields, { depth: 12, maxStringLength: null })}`);
};

let fixture: DatabasesFixture;
beforeAll(async () => {
  fixture = await DatabasesFixture.start({
    log: { debug: write, info: write, warn: write, error: write, plain: write },
    writeLine: line => lines.push(line),
    flush: () => undefined,
  });
}, 60_000);
afterAll(() => fixture?.stop());

const find = (workspace_id: string, database_id: string) =>
  fixture.client.request(getDatabase, { workspace_id, database_id });
const remove = (workspace_id: string, database_id: string) =>
  fixture.client.request(deleteDatabase, { workspace_id, database_id });
const provisioned = async (workspace: string): Promise<CreatedDatabase> => {
  const ordered = await fixture.create({ workspace_id: workspace });
  await fixture.reconcile();
  expect(await find(workspace, ordered.id)).toMatchObject({ status: 'running', status_reason: null });
  return ordered;
};
const folderOf = ({ id }: { id: string }) => join(fixture.home, 'databases', id);
/** In the volume of the database where the machine can mount one. */
const dataOf = (database: { id: string }) =>
  join(folderOf(database), existsSync(join(folderOf(database), 'volume.img')) ? 'volume/data' : 'data');
const processes = (database: { id: string }) => processesWith({ folder: dataOf(database) });
const eventsOf = async ({ id }: { id: string }) =>
  (
    await fixture.query<{ type: string }>('SELECT type FROM event_store.events WHERE stream_id = $1 ORDER BY version', [
      `database-${id}`,
    ])
  ).map(({ type }) => type.replace('platform-management.database-', ''));

describe('a database', () => {
  it('is created, used, and deleted with its data', async () => {
    const workspace = uuidv7();
    const ordered = await fixture.create({ workspace_id: workspace, name: 'Orders' });
    expect(ordered).toMatchObject({ name: 'Orders', kind: 'relational', status: 'creating', plan: 'starter' });
    expect(ordered.limits).toEqual({
      cpu_millicores: 250,
      memory_bytes: 268_435_456,
      storage_bytes: 1_073_741_824,
      connections: 20,
    });
    expect(await find(workspace, ordered.id)).toMatchObject({ status: 'creating', usage: null });

    await fixture.reconcile();
    const running = await find(workspace, ordered.id);
    expect(running).toMatchObject({
      status: 'running',
      status_reason: null,
      hostnames: [new URL(ordered.connection_url).hostname],
    });
    expect(running.usage?.memory.bytes).toBeGreaterThan(0);
    expect(running.usage?.cpu.percent).toBeGreaterThanOrEqual(0);
    expect(running.usage?.storage?.percent).toBeGreaterThan(0);
    const { hostname, port, username, password, pathname } = new URL(ordered.connection_url);
    const { ca_certificate: ca, ...place } = running.connection ?? {};
    expect(place).toEqual({ host: hostname, port: Number(port), username, database: pathname.slice(1) });
    await connected(ordered, client => client.query('SELECT 1'), { ssl: { ca: ca ?? undefined } });
    expect(JSON.stringify(running)).not.toContain(password);
    const { rows } = await connected(ordered, client => client.query('SHOW server_version'));
    expect(running.server_version).toBe(rows[0].server_version.split('.')[0]);
    await connected(ordered, client => client.query('CREATE TABLE kept (id int)'));

    expect(await remove(workspace, ordered.id)).toEqual({ id: ordered.id, deleted: true });
    expect(await find(workspace, ordered.id)).toMatchObject({
      status: 'deleting',
      usage: null,
      connection: null,
    });
    expect(await remove(workspace, ordered.id)).toEqual({ id: ordered.id, deleted: true });
    await fixture.reconcile();
    expect(await codeOf(find(workspace, ordered.id))).toBe('database_not_found');
    expect(await codeOf(remove(workspace, ordered.id))).toBe('database_not_found');
    expect(await processes(ordered)).toEqual([]);
    expect(existsSync(folderOf(ordered))).toBe(false);
    expect(await fixture.query('SELECT 1 FROM database_credentials WHERE database_id = $1', [ordered.id])).toEqual([]);
    expect(await eventsOf(ordered)).toEqual([
      'created.v1',
      'became-available.v1',
      'deletion-requested.v1',
      'deleted.v1',
    ]);
  });

  it('keeps running while the platform restarts, without events', async () => {
    const workspace = uuidv7();
    const made = await provisioned(workspace);
    const before = await processes(made);
    await fixture.restart(() => connected(made, client => client.query('SELECT 1')).then(() => undefined));
    await fixture.reconcile();
    expect((await processes(made))[0]).toBe(before[0]);
    expect(await eventsOf(made)).toEqual(['created.v1', 'became-available.v1']);
  });

  it('restarts with its data after a kill, each recorded once', async () => {
    const workspace = uuidv7();
    const made = await provisioned(workspace);
    await connected(made, client => client.query('CREATE TABLE kept (id int)'));
    await fixture.restart(async () => {
      for (const pid of await processes(made)) killProcess(pid);
      await waitFor(async () => (await processes(made)).length === 0);
    });
    await fixture.reconcile();
    await fixture.reconcile();
    expect(await find(workspace, made.id)).toMatchObject({ status: 'running', status_reason: null });
    await connected(made, client => client.query('SELECT * FROM kept'));
    expect(await eventsOf(made)).toEqual([
      'created.v1',
      'became-available.v1',
      'became-unavailable.v1',
      'became-available.v1',
    ]);
  });

  it('is read-only, with a reason, while it exceeds the storage of its plan', async () => {
    const workspace = uuidv7();
    const made = await fixture.create({ workspace_id: workspace });
    await fixture.query('UPDATE databases SET storage_bytes = $2 WHERE id = $1', [made.id, 100 * 1024 ** 2]);
    await fixture.reconcile();
    await fixture.reconcile();
    expect(await find(workspace, made.id)).toMatchObject({ status: 'running', status_reason: null });
    await connected(made, async client => {
      await client.query('CREATE UNLOGGED TABLE bulk (megabyte text)');
      await client.query('ALTER TABLE bulk ALTER COLUMN megabyte SET STORAGE EXTERNAL');
      await client.query("INSERT INTO bulk SELECT repeat('x', 1048576) FROM generate_series(1, 80)");
    });
    await fixture.restart();
    await fixture.reconcile();
    expect(await find(workspace, made.id)).toMatchObject({
      status: 'running',
      status_reason: expect.stringContaining('is read-only'),
    });
    await connected(made, async client => {
      await client.query('SET default_transaction_read_only = off');
      await client.query('DROP TABLE bulk');
    });
    await fixture.restart();
    await fixture.reconcile();
    expect(await find(workspace, made.id)).toMatchObject({ status: 'running', status_reason: null });
    expect((await eventsOf(made)).slice(2)).toEqual(['became-read-only.v1', 'became-writable.v1']);
  });

  it('that cannot be created fails after two minutes with a reason, and its data are deleted', async () => {
    const workspace = uuidv7();
    const ordered = await fixture.create({ workspace_id: workspace });
    await fixture.query('DELETE FROM database_credentials WHERE database_id = $1', [ordered.id]);
    await fixture.reconcile();
    expect(await find(workspace, ordered.id)).toMatchObject({ status: 'creating' });
    await fixture.query(`UPDATE databases SET created_at = created_at - interval '2 minutes' WHERE id = $1`, [
      ordered.id,
    ]);
    await fixture.reconcile();
    const failed = await find(workspace, ordered.id);
    expect(failed.status).toBe('failed');
    expect(failed.status_reason).toBe('could not be created within 2 minutes: its credentials do not exist');
    expect(existsSync(folderOf(ordered))).toBe(false);
    await remove(workspace, ordered.id);
    await fixture.reconcile();
    expect(await codeOf(find(workspace, ordered.id))).toBe('database_not_found');
  });

  it('whose creation is interrupted by a kill of the agent fails after two minutes, and its data are deleted', async () => {
    const workspace = uuidv7();
    const ordered = await fixture.create({ workspace_id: workspace });
    await fixture.query(
      "UPDATE databases SET created_at = now() - interval '2 minutes' + interval '5 seconds' WHERE id = $1",
      [ordered.id],
    );
    const reconciled = fixture.reconcile();
    await waitFor(() => existsSync(dataOf(ordered)), { timeoutMs: 5_000, intervalMs: 10 });
    await fixture.agent.kill();
    await reconciled;
    await fixture.reconcile();
    expect(await find(workspace, ordered.id)).toMatchObject({
      status: 'failed',
      status_reason: 'could not be created within 2 minutes: the runtime does not respond',
    });
    await fixture.agent.start();
    await fixture.restart();
    await fixture.reconcile();
    expect(existsSync(folderOf(ordered))).toBe(false);
  }, 60_000);

  it('of an unknown plan is refused with a list of the existing plans', async () => {
    const creation = fixture.create({ workspace_id: uuidv7(), plan: 'enormous' });
    await expect(creation).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/^plan: .*starter, basic, standard, large/),
    });
  });

  it('is refused with the package to install if a program is missing', async () => {
    const creation = fixture.create({ workspace_id: uuidv7(), kind: 'key_value' });
    await expect(creation).rejects.toMatchObject({
      code: 'technology_missing',
      message: expect.stringContaining('install the package valkey or redis'),
    });
  });
});

describe('databases of two workspaces', () => {
  it('are isolated', async () => {
    const [mine, yours] = [uuidv7(), uuidv7()];
    const { id } = await fixture.create({ workspace_id: mine });
    expect(await codeOf(find(yours, id))).toBe('database_not_found');
    expect(await codeOf(remove(yours, id))).toBe('database_not_found');
    expect(await fixture.client.request(listDatabases, { workspace_id: yours })).toEqual({
      items: [],
      total: 0,
      limit: 50,
      offset: 0,
    });
    expect((await find(mine, id)).status).toBe('creating');
    await remove(mine, id);
  });

  it('are listed in pages, oldest first', async () => {
    const workspace_id = uuidv7();
    const created = [];
    for (const name of ['first', 'second', 'third']) created.push(await fixture.create({ workspace_id, name }));
    const page = await fixture.client.request(listDatabases, { workspace_id, limit: 2, offset: 1 });
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
    expect(page.items.map(({ name }) => name)).toEqual(['second', 'third']);
    for (const { id } of created) await remove(workspace_id, id);
    await fixture.reconcile();
    expect((await fixture.client.request(listDatabases, { workspace_id })).total).toBe(0);
  });
});

it('credentials appear only in the reply to the creation', async () => {
  const workspace_id = uuidv7();
  const made = await provisioned(workspace_id);
  const { password } = new URL(made.connection_url);
  expect(password.length).toBeGreaterThanOrEqual(43);
  await find(workspace_id, made.id);
  const list = await fixture.client.request(listDatabases, { workspace_id });
  const events = await fixture.query('SELECT data, metadata FROM event_store.events');
  const sealed = await fixture.query('SELECT * FROM database_credentials');
  const rows = await fixture.query('SELECT * FROM databases');
  expect(sealed).not.toEqual([]);
  for (const shown of [list, events, sealed, rows, lines]) {
    expect(JSON.stringify(shown)).not.toContain(password);
    expect(JSON.stringify(shown)).not.toContain('postgresql://');
  }
  expect(lines.join('\n')).toContain('Nest application successfully started');
});

it('the leading replica creates, restarts and deletes databases on timers', async () => {
  await fixture.restart(undefined, 'real');
  const workspace_id = uuidv7();
  const made = await fixture.create({ workspace_id });
  const status = () =>
    find(workspace_id, made.id).then(
      database => database.status,
      ({ code }) => code,
    );
  await waitFor(async () => (await status()) === 'running', { timeoutMs: 20_000 });
  for (const pid of await processes(made)) killProcess(pid);
  await waitFor(async () => (await eventsOf(made)).length === 4, { timeoutMs: 20_000 });
  await waitFor(async () => (await status()) === 'running');
  expect(await find(workspace_id, made.id)).toMatchObject({ status_reason: null });
  await connected(made, client => client.query('SELECT 1'));
  await remove(workspace_id, made.id);
  await waitFor(async () => (await status()) === 'database_not_found', { timeoutMs: 20_000 });
}, 70_000);
