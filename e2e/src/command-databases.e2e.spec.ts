import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { CommandRunner } from './command/command-runner.js';
import { queryAt } from './platform/database-query.js';
import { webApp } from './platform/repository.js';
import { sharedPlatform } from './stories.js';

const platform = await sharedPlatform();
const name = `orders-${Date.now()}`;
const runner = new CommandRunner({
  POSTERN_URL: platform.world.postern.baseUrl,
  POSTERN_PLATFORM_KEY: platform.writer.key,
});
afterAll(() => runner.stop());

const untilRuns = (id: string) =>
  waitFor(async () => (await platform.reader.get(`/databases/${id}`)).body['status'] === 'running', {
    timeoutMs: 180_000,
    describe: `${id} to run`,
  });

let id: string;
let url: string;
beforeAll(async () => {
  const made = await platform.world.callDashboardApi('POST', '/databases', { name, kind: 'relational' });
  [id, url] = [String(made.body['id']), String(made.body['connection_url'])];
  await untilRuns(id);
  await queryAt(url, 'CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)');
}, 240_000);

/** The rows of a database that the command has created. */
const ordersOf = async (database: string): Promise<unknown> => {
  await untilRuns(database);
  const rotated = await platform.world.callDashboardApi('POST', `/databases/${database}/rotate`);
  const rows = await queryAt(String(rotated.body['connection_url']), 'SELECT id FROM orders ORDER BY id');
  return rows.map(row => (row as { id: number }).id);
};

describe('postern databases', () => {
  it('creates a database with the data of a backup, and one with those of a point in time', async () => {
    expect((await runner.run(['databases', 'backup', name])).code).toBe(0);
    const backups = async () =>
      (await runner.run(['databases', 'backups', name, '--json'])).json<readonly Record<string, unknown>[]>();
    await waitFor(async () => (await backups()).every(({ status }) => status === 'completed'), { timeoutMs: 120_000 });
    await queryAt(url, 'INSERT INTO orders VALUES (2)');
    await pause(20);
    const time = new Date().toISOString();
    await pause(20);
    await queryAt(url, 'DELETE FROM orders');

    const create = async (kind: string, ...data: string[]) => {
      const { code, err, ...created } = await runner.run([
        ...['databases', 'create', `${name}-${kind}`, '--from', name, ...data, '--json'],
      ]);
      expect([code, err]).toEqual([0, '']);
      return String(created.json()['id']);
    };
    const [backup] = await backups();
    const restored = await create('restored', '--backup', String(backup?.['id']));
    const recovered = await create('recovered', '--target-time', time);
    expect(await ordersOf(restored)).toEqual([1]);
    expect(await ordersOf(recovered)).toEqual([1, 2]);
    expect(await queryAt(url, 'SELECT id FROM orders')).toEqual([]);
  }, 480_000);

  it('attaches a database to a web service, and detaches it', async () => {
    const { id: service } = await platform.service(webApp('shop'));
    const attached = await runner.run(['databases', 'attach', name, '--service', service, '--json']);
    expect(attached.json()).toMatchObject({ database_id: id, web_service_id: service, variable: 'DATABASE_URL' });
    const detach = ['databases', 'detach', name, '--service', service];
    expect((await runner.run(detach)).out).toContain('DATABASE_URL is gone at the next start.');
    expect((await platform.reader.get(`/databases/${id}/attachments`)).body).toEqual([]);
    expect((await runner.run(detach)).err).toContain(`${name} is not attached to this web service.`);
  }, 60_000);

  it('replaces the data of a database with those of a backup, if this is confirmed', async () => {
    const listed = await runner.run(['databases', 'backups', name, '--json']);
    const backup = String(listed.json<readonly Record<string, unknown>[]>().at(-1)?.['id']);
    const restore = ['databases', 'restore', name, backup];
    expect((await runner.run(restore)).err).toContain('Data that are newer than the backup are lost.');
    expect((await runner.run([...restore, '--yes'])).out).toContain('restoring');
    const idsOf = () => queryAt(url, 'SELECT id FROM orders').catch(() => []);
    await waitFor(async () => (await idsOf()).length === 1, { timeoutMs: 120_000, describe: 'the restored data' });
  }, 240_000);

  it('says which times can be recovered', async () => {
    const args = ['databases', 'create', 'too-early', '--from', name];
    const { code, err } = await runner.run([...args, '--target-time', '2020-01-01T00:00:00Z']);
    expect([code === 0, err]).toEqual([false, expect.stringMatching(/cannot be recovered; choose a time from .* to /)]);
    expect((await runner.run(args)).err).toContain('--from needs either --backup or --target-time.');
  }, 60_000);
});
