import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { ownPlatform } from '../stories.js';
import { Caller } from './platform-world.js';

const platform = await ownPlatform({ callsPerMinute: 30 });

const callerWithKey = (key: string) => new Caller(platform.world, key);

describe('every request carries a key', () => {
  it('GET /users/me/api-key returns the permissions of the calling key, never the key', async () => {
    const { key } = platform.reader;
    const { status, body } = await platform.reader.get('/users/me/api-key');

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.any(String),
        name: 'story, read',
        key_prefix: key.slice(0, 12),
        scope: 'read',
        expiry: null,
      },
    });
    expect(key).toMatch(/^ak_live_[0-9A-Za-z]{43}$/);
    expect(JSON.stringify(body)).not.toContain(key);
  });

  it.each([
    ['a missing key', undefined],
    ['an unknown key', `Bearer ak_live_${'x'.repeat(43)}`],
    ['a key of the email API', 'Bearer em_live_abc'],
    ['a key without Bearer', 'ak_live_abc'],
  ])('%s gets 401', async (_, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const { status, body } = await platform.world.call('GET', '/api/v1/projects', { headers });

    expect({ status, body }).toEqual({ status: 401, body: { detail: expect.any(String) } });
  });

  it('a revoked key gets 401 at once', async () => {
    const { body } = await platform.world.callDashboardApi('POST', '/platform-keys', { name: 'short', scope: 'read' });
    const caller = callerWithKey(String(body['key']));
    expect((await caller.get('/projects')).status).toBe(200);

    await platform.world.callDashboardApi('DELETE', `/platform-keys/${String(body['id'])}`);

    expect((await caller.get('/projects')).status).toBe(401);
  });

  it('an expired key gets 401', async () => {
    const caller = await platform.newKey('read', { expires_at: new Date(Date.now() + 1_500).toISOString() });
    expect((await caller.get('/projects')).status).toBe(200);

    await waitFor(async () => (await caller.get('/projects')).status === 401, { describe: 'the key to expire' });
  });

  it('a write endpoint called with a read-only key gets 403 with the required scope and the key’s scope', async () => {
    const { status, body } = await platform.reader.post('/projects', { name: 'Mine' });

    expect({ status, body }).toEqual({
      status: 403,
      body: { detail: { code: 'insufficient_scope', required: 'write', actual: 'read' } },
    });
  });

  it('a write key may also read', async () => {
    expect((await platform.writer.get('/projects')).status).toBe(200);
  });
});

describe('30 requests a minute are counted per key', () => {
  it('the next request gets 429 with Retry-After, and another key is not affected', async () => {
    const [busy, idle] = [await platform.newKey('read'), await platform.newKey('read')];
    const answers = await Promise.all(Array.from({ length: 40 }, () => busy.get('/projects')));

    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.body).toEqual({ detail: expect.any(String) });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await idle.get('/projects')).status).toBe(200);
  });

  it('every response has the number of remaining requests', async () => {
    const caller = await platform.newKey('read');
    const [first, second] = [await caller.get('/projects'), await caller.get('/projects')];

    expect(first.headers.get('ratelimit-limit')).toBe('30');
    expect([first, second].map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['29', '28']);
    expect(Number(first.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
  });
});

describe('every error has a detail', () => {
  it.each([
    ['an unknown route', 'GET', '/nothing', undefined, 404],
    ['a method that a route does not have', 'PATCH', '/projects', {}, 405],
    ['a body that is not JSON', 'POST', '/projects', '{"name":', 400],
    ['an unknown field', 'POST', '/projects', { name: 'x', colour: 'red' }, 400],
    ['a missing field', 'POST', '/projects', {}, 400],
    ['an id that is none', 'GET', '/projects/17', undefined, 400],
    ['what does not exist', 'GET', '/projects/00000000-0000-7000-8000-000000000000', undefined, 404],
    ['a limit out of bounds', 'GET', '/databases?limit=101', undefined, 400],
  ])('%s', async (_, method, path, body, expected) => {
    const caller = await platform.newKey('write');
    const answer = await caller.call(method, path, body);

    expect({ status: answer.status, body: answer.body }).toEqual({
      status: expected,
      body: { detail: expect.any(String) },
    });
  });
});
