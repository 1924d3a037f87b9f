import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, waitFor } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import { queryAt } from './database-query.js';
import type { Service } from './platform-world.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();

let service: Service;
let path: string;
let url: string;
beforeAll(async () => {
  service = await platform.service(webApp('shop'));
  await service.deploy();
  const made = await platform.world.callDashboardApi('POST', '/databases', {
    name: 'orders',
    kind: 'relational',
    plan: 'starter',
  });
  [path, url] = [`/databases/${made.body['id']}`, String(made.body['connection_url'])];
  await waitFor(async () => (await platform.reader.get(path)).body['status'] === 'running', { timeoutMs: 90_000 });
  await query('CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)');
}, 240_000);

const query = (text: string) => queryAt(url, text);

const change = async (changes: object): Promise<void> => {
  expect((await platform.world.callDashboardApi('PATCH', service.path, changes)).status).toBe(200);
};

const rotate = async (): Promise<void> => {
  const old = url;
  const { status, body } = await platform.world.callDashboardApi('POST', `${path}/rotate`);
  expect([status, body['restarting']]).toEqual([200, [service.id]]);
  url = String(body['connection_url']);
  expect(url).not.toBe(old);
};

/** The URL in the environment of the web service, which has a user of its own in the database. */
const urlOfService = async (): Promise<string> => {
  const found = /^200 "(postgresql:\/\/attached_.*)"$/.exec(await service.get('/env?key=DATABASE_URL'))?.[1];
  expect(found).toBeDefined();
  return found!;
};

const untilUrlIsCurrent = () =>
  eventually(async () => expect(await queryAt(await urlOfService(), 'SELECT id FROM orders')).toEqual([{ id: 1 }]), {
    timeoutMs: 90_000,
  });

describe('a database attached to a web service', () => {
  it('is in its environment from the next start, and never in reads of the environment', async () => {
    const body = { web_service_id: service.id };
    const attached = await platform.world.callDashboardApi('POST', `${path}/attachments`, body);
    expect([attached.status, attached.body]).toMatchObject([201, { ...body, variable: 'DATABASE_URL' }]);
    await platform.writer.post(`${service.path}/restart`);
    await service.untilStatus('running');
    await untilUrlIsCurrent();
    expect(JSON.stringify((await platform.writer.get(`${service.path}/env`)).body)).not.toContain('postgresql');
  }, 120_000);

  it('gets a new password, and the web service is restarted with it', async () => {
    await rotate();
    expect(await query('SELECT id FROM orders')).toEqual([{ id: 1 }]);
    await untilUrlIsCurrent();
  }, 150_000);

  it('gets a new password while the web service starts, which is restarted afterwards', async () => {
    await change({ start_command: 'sleep 5; node server.js' });
    await platform.writer.post(`${service.path}/stop`);
    await service.untilStatus('stopped');
    await platform.writer.post(`${service.path}/start`);
    await waitFor(async () => (await service.wholeLog()).includes('The start begins'));
    await rotate();
    await change({ start_command: null });
    await service.untilStatus('running');
    await untilUrlIsCurrent();
  }, 150_000);

  it('is in the environment of a rollback with its current password', async () => {
    const { id } = await service.deploy();
    await rotate();
    await untilUrlIsCurrent();
    await service.deploy();
    const rollback = await platform.writer.post(`${service.path}/deployments/${id}/rollback`);
    expect((await service.outcomeOf(String(rollback.body['id']))).status).toBe('live');
    await untilUrlIsCurrent();
  }, 150_000);

  it('is backed up and restored, and its clients reconnect', async () => {
    const made = await platform.world.callDashboardApi('POST', `${path}/backups`);
    expect([made.status, made.body['status']]).toEqual([201, 'creating']);
    const backup = async () => {
      const { body } = await platform.world.callDashboardApi('GET', `${path}/backups`);
      return (body as unknown as readonly Record<string, unknown>[]).find(({ id }) => id === made.body['id']) ?? {};
    };
    await waitFor(async () => (await backup())['status'] === 'completed', { timeoutMs: 90_000 });
    await query('INSERT INTO orders VALUES (2)');
    const restore = await platform.world.callDashboardApi('POST', `${path}/backups/${made.body['id']}/restore`);
    expect([restore.status, restore.body['status']]).toEqual([202, 'restoring']);
    await waitFor(async () => ((await backup())['last_restore'] as { status: string } | null)?.status === 'completed', {
      timeoutMs: 120_000,
    });
    expect(await query('SELECT id FROM orders')).toEqual([{ id: 1 }]);
  }, 240_000);

  it('is out of reach with the credentials of a web service from which it is detached', async () => {
    const detached = await urlOfService();
    const { body } = await platform.world.callDashboardApi('GET', `${path}/attachments`);
    const [attachment] = body as unknown as readonly { id: string }[];
    await platform.world.callDashboardApi('DELETE', `${path}/attachments/${attachment?.id}`);
    await expect(queryAt(detached, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(await query('SELECT id FROM orders')).toEqual([{ id: 1 }]);
    await platform.world.callDashboardApi('POST', `${path}/attachments`, { web_service_id: service.id });
  }, 60_000);

  it('is deleted with its attachments and backups', async () => {
    expect((await platform.world.callDashboardApi('DELETE', path)).status).toBe(200);
    await platform.writer.post(`${service.path}/restart`);
    await eventually(async () => expect(await service.get('/env?key=DATABASE_URL')).not.toContain('postgresql'), {
      timeoutMs: 90_000,
    });
    await eventually(
      async () => expect((await platform.world.callDashboardApi('GET', `${path}/backups`)).status).toBe(404),
      {
        timeoutMs: 30_000,
      },
    );
  }, 150_000);
});
