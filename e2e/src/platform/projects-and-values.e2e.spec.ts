import { describe, expect, it } from '@jest/globals';
import { sharedPlatform } from '../stories.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();
const service = await platform.service(webApp('one'));

describe('projects', () => {
  it('are created with name and description, listed and read', async () => {
    const created = await platform.writer.post('/projects', { name: 'Shop', description: 'What we sell' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: 'Shop', description: 'What we sell' });

    const { body } = await platform.reader.get(`/projects/${String(created.body['id'])}`);
    expect(body).toEqual(created.body);
    expect((await platform.reader.get('/projects')).body).toContainEqual(created.body);
  });

  it('of another user are not found', async () => {
    const { body } = await platform.writer.post('/projects', { name: 'Private' });
    const stranger = await strangerOf(platform);

    expect((await stranger.get(`/projects/${String(body['id'])}`)).status).toBe(404);
    expect((await stranger.get('/projects')).body).toEqual([]);
    expect((await stranger.get(service.path)).status).toBe(404);
    expect((await stranger.get(`${service.path}/env`)).status).toBe(404);
    expect((await stranger.post(`${service.path}/deployments`)).status).toBe(404);
  });
});

describe('environment variables', () => {
  it('are created, read with secret values masked, and deleted', async () => {
    const plain = await platform.writer.post(`${service.path}/env`, { key: 'COLOUR', value: 'red', is_secret: false });
    const secret = await platform.writer.post(`${service.path}/env`, {
      key: 'TOKEN',
      value: 's3cr3t',
      is_secret: true,
    });
    expect([plain.status, secret.status]).toEqual([201, 201]);

    const { body } = await platform.reader.get(`${service.path}/env`);
    expect(body).toEqual([
      { id: plain.body['id'], key: 'COLOUR', value: 'red', is_secret: false },
      { id: secret.body['id'], key: 'TOKEN', value: '********', is_secret: true },
    ]);

    const deleted = await platform.writer.delete(`${service.path}/env/${String(plain.body['id'])}`);
    expect([deleted.status, deleted.body]).toEqual([200, { id: plain.body['id'], deleted: true }]);
    expect((await platform.writer.delete(`${service.path}/env/${String(plain.body['id'])}`)).status).toBe(404);
  });

  it('in bulk are all or nothing, and do not change other variables', async () => {
    await platform.writer.post(`${service.path}/env`, { key: 'KEPT', value: '1', is_secret: false });
    const refused = await platform.writer.put(`${service.path}/env/bulk`, {
      variables: [
        { key: 'FIRST', value: '1' },
        { key: '2ND', value: '2' },
      ],
    });
    expect([refused.status, refused.body]).toEqual([400, { detail: expect.stringMatching(/variables\[1\]\.key/) }]);

    const { status, body } = await platform.writer.put(`${service.path}/env/bulk`, {
      variables: [
        { key: 'FIRST', value: '1' },
        { key: 'KEPT', value: '2', is_secret: false },
      ],
    });
    expect([status, body]).toEqual([200, { created: ['FIRST'], updated: ['KEPT'] }]);
  });

  it.each([
    ['a key that begins with a digit', { key: '1ST', value: 'x', is_secret: false }, /^key/],
    ['a key of 256 characters', { key: 'K'.repeat(256), value: 'x', is_secret: false }, /^key/],
    ['a value over 64 KiB', { key: 'BIG', value: 'x'.repeat(65_537), is_secret: false }, /^value/],
    ['a NUL character', { key: 'NUL', value: 'a\0b', is_secret: false }, /^value/],
    ['no value', { key: 'NONE', is_secret: false }, /^value/],
  ])('with %s are refused with the name of the field', async (_, variable, names) => {
    const { status, body } = await platform.writer.post(`${service.path}/env`, variable);

    expect([status, body]).toEqual([400, { detail: expect.stringMatching(names) }]);
  });
});

describe('project secrets', () => {
  it('have the same key once per scope, and are returned grouped by key and masked', async () => {
    const path = `/projects/${service.projectId}/secrets`;
    for (const scope of ['production', 'staging'])
      expect(
        (await platform.writer.post(path, { key: 'API_TOKEN', value: scope, scope, is_secret: true })).status,
      ).toBe(201);

    const { body } = await platform.reader.get(path);
    expect(body['API_TOKEN']).toEqual([
      { id: expect.any(String), scope: 'production', value: '********', is_secret: true },
      { id: expect.any(String), scope: 'staging', value: '********', is_secret: true },
    ]);
  });

  it('in bulk return what was created and updated, and can be deleted', async () => {
    const path = `/projects/${service.projectId}/secrets`;
    const secrets = [{ key: 'BULK', value: '1', scope: 'development' }];
    expect((await platform.writer.put(`${path}/bulk`, { secrets })).body).toEqual({ created: ['BULK'], updated: [] });
    expect((await platform.writer.put(`${path}/bulk`, { secrets })).body).toEqual({ created: [], updated: ['BULK'] });

    const { body } = await platform.reader.get(path);
    const [{ id }] = body['BULK'] as [{ id: string }];
    expect((await platform.writer.delete(`${path}/${id}`)).body).toEqual({ id, deleted: true });
    expect((await platform.reader.get(path)).body).not.toHaveProperty('BULK');
  });
});

const strangerOf = async ({ world }: typeof platform) => {
  const { Caller } = await import('./platform-world.js');
  const login = { email: 'stranger@example.com', password: 'a password that is long' };
  await world.callDashboardApi('POST', '/users', login);
  const { body } = await world.call('POST', '/dashboard/api/session', { body: login });
  const key = await world.callDashboardApi(
    'POST',
    '/platform-keys',
    { name: 'mine', scope: 'write' },
    String(body['token']),
  );
  return new Caller(world, String(key.body['key']));
};
