import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { CommandRunner } from './command/command-runner.js';
import { sharedPlatform } from './stories.js';

const platform = await sharedPlatform();
const { world } = platform;
const sender = await world.sender('Every operation', 'operations.example.com');
const url = world.postern.baseUrl;
const runner = new CommandRunner({
  POSTERN_URL: url,
  POSTERN_EMAIL_KEY: sender.apiKey,
  POSTERN_PLATFORM_KEY: platform.writer.key,
  POSTERN_SESSION_TOKEN: world.token,
});
afterAll(() => runner.stop());

const api = async (args: readonly string[], stdin = '') => {
  const { code, out, err } = await runner.run(['api', ...args, '--json'], stdin);
  return { code, err, reply: code === 0 ? JSON.parse(out) : undefined };
};

describe('postern api', () => {
  it('calls the platform API with the platform key, and puts the fields into the body or the query', async () => {
    const created = await api(['POST', '/api/v1/projects', 'name=From the command']);
    expect(created).toMatchObject({ code: 0, reply: { name: 'From the command' } });
    const { reply } = await api(['get', `/api/v1/projects/${created.reply.id}`]);
    expect(reply).toMatchObject({ id: created.reply.id });
    expect((await api(['GET', '/api/v1/databases', 'limit=1'])).reply).toMatchObject({ limit: 1 });
  });

  it('calls the dashboard API with the session, and prints answers that are not JSON', async () => {
    expect((await api(['GET', '/dashboard/api/me'])).reply).toMatchObject({ workspaces: expect.any(Array) });
    expect((await api(['GET', `/dashboard/api${sender.path}/suppressions`, 'format=csv'])).reply).toContain('address');
  });

  it('calls the email API with the key of the email service and a body from a file or standard input', async () => {
    const email = { from: 'a@operations.example.com', to: ['delivered@simulator.test'], subject: 'Hi', message: 'Hi' };
    const file = join(runner.folder, 'email.json');
    await writeFile(file, JSON.stringify(email));
    const { reply } = await api(['POST', '/emails', '--input', file]);
    expect(reply).toMatchObject({ status: 'sent' });
    expect((await api(['POST', '/emails', '--input', '-'], JSON.stringify(email))).reply).toMatchObject({
      status: 'sent',
    });
    expect((await api(['GET', `/emails/${reply.id}`])).reply).toMatchObject({ id: reply.id });
    expect((await api(['GET', '/scheduled-emails', 'limit=1'])).reply).toMatchObject({ limit: 1 });
  });

  it.each([
    [['GET', '/nope'], 2, 'is no path of an API'],
    [['GET', 'https://evil.example/emails'], 2, 'is no path of an API'],
    [['GET', '/emailsx'], 2, 'is no path of an API'],
    [['TRACE', '/emails'], 2, 'There is no method TRACE'],
    [['POST', '/api/v1/projects', 'name'], 2, 'is not setting=value'],
    [['POST', '/api/v1/projects', '--input', 'missing.json'], 2, 'missing.json cannot be read'],
    [['POST', '/api/v1/projects', 'name=x', '--input', '-'], 2, 'leave out the fields'],
    [['GET', '/api/v1/web-services/1'], 1, 'must be a UUID'],
  ])('of %j fails with the exit status %s', async (args, status, message) => {
    const { code, err } = await api(args);
    expect([code, err]).toEqual([status, expect.stringContaining(message)]);
  });
});

describe('postern notifications', () => {
  it('adds, lists, tests and removes a target', async () => {
    const bodies: string[] = [];
    const receiver = createServer((request, response) => {
      request.on('data', chunk => bodies.push(String(chunk))).on('end', () => response.end());
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    try {
      const added = await runner.run(['notifications', 'add', 'webhook', address]);
      expect(added).toMatchObject({ code: 0, out: expect.stringContaining('whsec_') });
      expect((await runner.run(['notifications', 'list'])).out).toContain(address);
      expect((await runner.run(['notifications', 'test', address])).out).toContain('accepted the notification');
      expect(bodies.join('')).toContain('"event":"test"');
    } finally {
      receiver.close();
    }
    const failed = await runner.run(['notifications', 'test', address]);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('did not accept the notification') });
    expect((await runner.run(['notifications', 'remove', address])).code).toBe(0);
    expect((await runner.run(['notifications', 'list'])).out).not.toContain(address);
  });

  it('names the kinds and the targets that there are', async () => {
    const unknown = await runner.run(['notifications', 'add', 'pager', 'https://ops.example.com']);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('The kinds are slack, webhook') });
    const missing = await runner.run(['notifications', 'test', 'https://ops.example.com']);
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('There is no notification target') });
  });
});

interface Operation {
  readonly path: string;
  readonly id: string;
  readonly isStream: boolean;
  readonly isText: boolean;
}

const operationsIn = async (document: string): Promise<readonly Operation[]> => {
  const { paths } = (await (await fetch(url + document)).json()) as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, { content?: object }> }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(?:get|post|put|patch|delete)$/.test(method))
      .map(([, { operationId, responses }]) => {
        const types = Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, { content = {} }]) => Object.keys(content));
        const isStream = types.includes('text/event-stream');
        return { path, id: operationId, isStream, isText: types.length > 0 && !types.includes('application/json') };
      }),
  );
};

describe('every operation of the APIs', () => {
  /** They never end: `postern logs -f` and `postern exec` read the first four, the dashboard the last one. */
  const STREAMS = ['followLogs', 'followRun', 'LogsAndMetrics.stream', 'Runs.stream', 'Changes.follow'];

  it('is reached by the command', async () => {
    const all = [...(await operationsIn('/openapi.json')), ...(await operationsIn('/dashboard/api/openapi.json'))];
    expect(all.length).toBeGreaterThan(150);
    const reached = /^\/(?:(?:scheduled-)?emails|webhook-listeners|api\/v1|dashboard\/api)(?:\/|$)/;
    expect(all.filter(({ path }) => !reached.test(path))).toEqual([]);
    expect(all.filter(({ isStream }) => isStream).map(({ id }) => id)).toEqual(STREAMS);
  });

  it('that a key may call is a tool of the MCP server', async () => {
    const client = new Client({ name: 'story', version: '1.0.0' });
    const headers = { 'Api-Key': sender.apiKey, Authorization: `Bearer ${platform.writer.key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp?allow_writes=true`), { requestInit: { headers } }),
    );
    const tools = new Set((await client.listTools()).tools.map(({ name }) => name.replaceAll('_', '')));
    await client.close();
    const missing = (await operationsIn('/openapi.json')).filter(({ id }) => !tools.has(id.toLowerCase()));
    expect(missing.map(({ id, isText, isStream }) => [id, isText || isStream])).toEqual(
      missing.map(({ id }) => [id, true]),
    );
  });
});
