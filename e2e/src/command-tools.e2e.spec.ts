import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { COMMAND, CommandRunner } from './command/command-runner.js';
import { sharedPlatform } from './stories.js';

const run = promisify(execFile);
const platform = await sharedPlatform();
const sender = await platform.world.sender('Tools', 'tools.example.com');
const url = platform.world.postern.baseUrl;

const runners: CommandRunner[] = [];
const newRunner = (environment: Record<string, string>) => {
  const runner = new CommandRunner(environment);
  runners.push(runner);
  return runner;
};
afterAll(() => {
  for (const runner of runners) runner.stop();
});

describe('postern mcp', () => {
  const clients: Client[] = [];
  afterAll(() => Promise.all(clients.map(client => client.close())));

  const connect = async (environment: Record<string, string>, args: readonly string[] = []): Promise<Client> => {
    const runner = newRunner({ POSTERN_URL: url, ...environment });
    const client = new Client({ name: 'story', version: '1.0.0' });
    clients.push(client);
    const env = runner.environmentOfCommand;
    const command = { command: process.execPath, args: [COMMAND, 'mcp', ...args], env, stderr: 'ignore' as const };
    await client.connect(new StdioClientTransport(command));
    return client;
  };
  const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).sort();
  const call = async (client: Client, name: string, input: Record<string, unknown>) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    const [part] = content as readonly { type: string; text?: string }[];
    return { isError, text: part?.text ?? '' };
  };
  const WRITES = ['--allow-writes'];
  /** The JSON between the marks of text that strangers have written. */
  const dataIn = (text: string): unknown => {
    const [, , data = ''] =
      /^The result contains text written by .*\n<(untrusted-[0-9a-f-]{36})>\n(.*)\n<\/\1>$/s.exec(text) ?? [];
    return JSON.parse(data);
  };

  it('sends an email and shows its delivery status', async () => {
    const client = await connect(
      { POSTERN_EMAIL_KEY: sender.apiKey, POSTERN_SESSION_TOKEN: platform.world.token },
      WRITES,
    );
    expect(await namesOf(client)).toEqual([
      'get_email',
      'get_status',
      'list_emails',
      'list_requests',
      'send_email',
      'show_email',
    ]);

    const email = { from: 'shop@tools.example.com', to: ['delivered@simulator.test'], subject: 'From a tool' };
    const sent = await call(client, 'send_email', { ...email, text: 'Hello' });
    expect(sent.isError).toBe(false);
    const { id } = JSON.parse(sent.text) as { id: string };
    expect(dataIn((await call(client, 'get_email', { id })).text)).toMatchObject({ id, status: 'sent' });
    await sender.event('delivered', id);
    const listed = await call(client, 'list_emails', { service: 'Tools', search: 'From a tool' });
    expect((dataIn(listed.text) as { items: { id: string }[] }).items.map(item => item.id)).toContain(id);

    const refused = await call(client, 'send_email', { ...email, from: 'nobody', text: 'Hello' });
    expect(refused).toEqual({ isError: true, text: expect.stringContaining('Code: ') });
  }, 60_000);

  it('has the permissions of its key, and changes nothing unless it is told to', async () => {
    const writer = await namesOf(await connect({ POSTERN_PLATFORM_KEY: platform.writer.key }, WRITES));
    const reader = await namesOf(await connect({ POSTERN_PLATFORM_KEY: platform.reader.key }, WRITES));
    const byDefault = await namesOf(await connect({ POSTERN_PLATFORM_KEY: platform.writer.key }));
    const reading = ['get_deployment', 'get_logs', 'list_deployments', 'list_variables', 'list_web_services'];
    expect(reader).toEqual(reading);
    expect(byDefault).toEqual(reading);
    expect(writer).toEqual([...reading, 'deploy', 'set_variable', 'unset_variable'].sort());
  }, 60_000);

  it('manages a web service', async () => {
    const client = await connect({ POSTERN_PLATFORM_KEY: platform.writer.key }, WRITES);
    const service = await platform.service({ 'index.html': '<h1>Hello</h1>' }, { name: `tools-${Date.now()}` });
    expect((await call(client, 'set_variable', { service: service.id, key: 'A', value: '1' })).isError).toBe(false);
    expect((await call(client, 'list_variables', { service: service.id })).text).toContain('"A"');
    const deployment = JSON.parse((await call(client, 'deploy', { service: service.id })).text) as { id: string };
    expect((await service.outcomeOf(deployment.id)).status).toBe('live');
    const { tools } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema?.type !== 'object').map(({ name }) => name)).toEqual([]);
    // The client checks the structured results against the schemas.
    const got = await client.callTool({
      name: 'get_deployment',
      arguments: { service: service.id, id: deployment.id },
    });
    expect(got.structuredContent).toMatchObject({ id: deployment.id, status: 'live' });
    const listed = await client.callTool({ name: 'list_deployments', arguments: { service: service.id } });
    expect(listed.structuredContent).toMatchObject({ items: [{ id: deployment.id }], total: 1 });
    expect(dataIn((await call(client, 'get_logs', { service: service.id })).text)).toEqual({
      lines: expect.any(Array),
    });
    expect((await call(client, 'unset_variable', { service: service.id, key: 'A' })).isError).toBe(false);
  }, 90_000);
});

describe('postern completion', () => {
  let path: string;
  beforeAll(() => {
    const folder = join(newRunner({}).folder, 'bin');
    mkdirSync(folder);
    symlinkSync(COMMAND, join(folder, 'postern'));
    path = [folder, process.env['PATH']].join(delimiter);
  });

  it.each([
    ['postern em', ['emails']],
    ['postern emails ', ['cancel', 'list', 'scheduled', 'show']],
    ['postern webhooks listen --fo', ['--forward-to']],
    ['postern env set --s', ['--secret', '--service']],
  ])('completes %p in bash', async (line, expected) => {
    const words = line.split(' ');
    const script = `source <(postern completion bash)
COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_postern
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', script], { env: { PATH: path, HOME: '/nonexistent' } });
    expect(stdout.trim().split('\n')).toEqual(expected);
  });

  it('completes an option for fish and zsh as for bash', async () => {
    const runner = newRunner({});
    expect((await runner.run(['completion', 'fish'])).out).toContain('complete -c postern');
    expect((await runner.run(['completion', 'zsh'])).out).toContain('compdef _postern postern');
    expect((await runner.run(['completion', 'tcsh'])).code).toBe(2);
  });
});

describe('the command', () => {
  it('includes the commands for administrators on a Postern installation', async () => {
    const { code, out } = await newRunner({}).run(['keys', 'generate']);
    expect([code, out]).toEqual([0, expect.stringContaining('encryption key')]);
  });
});
