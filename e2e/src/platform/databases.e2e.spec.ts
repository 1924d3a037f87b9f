import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { eventually, waitFor } from '@postern/testing';
import pg from 'pg';
import { ownPlatform } from '../stories.js';

const platform = await ownPlatform();

describe('a relational database', () => {
  let id: string;
  let url: string;

  it('is provisioned from the dashboard, which shows its URL once', async () => {
    const made = await platform.world.callDashboardApi('POST', '/databases', {
      name: 'orders',
      kind: 'relational',
      plan: 'starter',
    });
    expect(made.status).toBe(201);
    [id, url] = [String(made.body['id']), String(made.body['connection_url'])];
    await untilStatus(id, 'running');

    expect(await answerOf(url, 'SELECT 6 * 7 AS answer')).toEqual([{ answer: 42 }]);
  }, 60_000);

  it('is listed with kind, status, plan, limits and hostnames, never with credentials', async () => {
    const { body } = await platform.reader.get('/databases');
    expect(body).toMatchObject({ total: 1, limit: 50, offset: 0 });
    expect(body['items']).toEqual([
      expect.objectContaining({
        id,
        name: 'orders',
        kind: 'relational',
        status: 'running',
        plan: 'starter',
        limits: expect.any(Object),
        hostnames: [expect.any(String)],
      }),
    ]);
    const { password } = new URL(url);
    const { body: detail } = await platform.reader.get(`/databases/${id}`);
    for (const answer of [body, detail])
      expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${password}|postgres(ql)?:`));
  });

  it('that is nearly full causes a mail to the owners of the workspace', async () => {
    const { world } = platform;
    const { postern, operatorLogin } = world;
    // In the volume of the database where the machine can mount one.
    const volume = postern.home.openPath('platform/databases', id, 'volume');
    const folder = existsSync(volume) ? 'volume/data' : 'data';
    const filler = postern.home.openPath('platform/databases', id, folder, 'filler');
    // The plan allows 1 GiB; the server itself uses the rest of the 90 percent.
    execFileSync('fallocate', ['--length', '900MiB', filler]);
    const mails = async () => (await world.mailsTo(operatorLogin.email)).map(({ subject }) => subject);
    await eventually(async () => expect(await mails()).toContain('Database nearly full: orders'), {
      timeoutMs: 120_000,
      intervalMs: 500,
    });
    rmSync(filler);
    expect((await platform.reader.get(`/databases/${id}`)).body['status']).toBe('running');
  }, 150_000);

  it('has its current CPU and memory usage in the detail', async () => {
    const { body } = await eventually(async () => {
      const answer = await platform.reader.get(`/databases/${id}`);
      expect(answer.body['usage']).not.toBeNull();
      return answer;
    });
    expect(body['usage']).toMatchObject({
      cpu: { millicores: expect.any(Number), percent: expect.any(Number) },
      memory: { bytes: expect.any(Number), percent: expect.any(Number) },
    });
  });

  it.each(['platform-management', 'runtime-agent'])(
    'keeps its data when %s dies',
    async name => {
      await answerOf(url, 'CREATE TABLE IF NOT EXISTS kept (n int)');
      process.kill(platform.world.postern.processes()[name] as number, 'SIGKILL');

      expect(await answerOf(url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
      await eventually(async () => expect((await platform.reader.get(`/databases/${id}`)).status).toBe(200), {
        timeoutMs: 30_000,
      });
      expect(await answerOf(url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
    },
    60_000,
  );

  it('belongs to the active workspace', async () => {
    const { body } = await platform.world.callDashboardApi('POST', '/workspaces', { name: 'Another' });
    const session = await platform.world.call('POST', '/dashboard/api/session', {
      body: platform.world.operatorLogin,
    });
    const token = String(session.body['token']);
    await platform.world.callDashboardApi('POST', '/session/workspace', { workspace_id: body['id'] }, token);
    const key = await platform.world.callDashboardApi(
      'POST',
      '/platform-keys',
      { name: 'other', scope: 'read' },
      token,
    );

    const headers = { authorization: `Bearer ${String(key.body['key'])}` };
    expect((await platform.world.call('GET', '/api/v1/databases', { headers })).body).toMatchObject({ total: 0 });
    expect((await platform.world.call('GET', `/api/v1/databases/${id}`, { headers })).status).toBe(404);
  });

  it('is removed with its data when it is deleted', async () => {
    expect((await platform.world.callDashboardApi('DELETE', `/databases/${id}`)).body).toEqual({ id, deleted: true });

    await eventually(() => expect(answerOf(url, 'SELECT 1')).rejects.toThrow(), { timeoutMs: 20_000 });
    await eventually(async () =>
      expect((await platform.reader.get('/databases')).body).toMatchObject({ total: 0, items: [] }),
    );
  }, 30_000);
});

it('an unknown plan is refused with the list of plans', async () => {
  const { status, body } = await platform.world.callDashboardApi('POST', '/databases', {
    name: 'x',
    kind: 'relational',
    plan: 'huge',
  });
  expect([status, body]).toEqual([400, { error: expect.stringMatching(/^plan.*starter/) }]);
});

it('a key-value store needs Valkey or Redis on the machine, and the response reports when there is none', async () => {
  const { status, body } = await platform.world.callDashboardApi('POST', '/databases', {
    name: 'cache',
    kind: 'key_value',
    plan: 'starter',
  });
  if (status === 409) {
    expect(body).toEqual({ error: expect.stringMatching(/valkey|redis/i) });
    return;
  }
  const id = String(body['id']);
  await untilStatus(id, 'running');
  expect((await platform.reader.get(`/databases/${id}`)).body).toMatchObject({ kind: 'key_value', usage: null });
}, 60_000);

const untilStatus = (id: string, status: string) =>
  waitFor(async () => (await platform.reader.get(`/databases/${id}`)).body['status'] === status, {
    timeoutMs: 40_000,
    intervalMs: 100,
    describe: `database ${id} to be ${status}`,
  });

const answerOf = async (connectionString: string, query: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(query)).rows as unknown[];
  } finally {
    await client.end();
  }
};
