import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  admitPlatformCall,
  authenticateManagementKey,
  createDeployment,
  listDeployments,
  listVariables,
  type PlatformOperation,
  Refusal,
  type ReplyOf,
  type RequestContract,
  sendEmail,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import * as email from '../testing/email-call.js';
import { ALL_REQUESTS } from '../testing/fake-services.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import * as platform from '../testing/platform-call.js';

const MANAGEMENT_KEY = `em_admin_${'a1B2'.repeat(10)}xyz`;
let gateway: GatewayUnderTest;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-mcp-'));
  await mkdir(join(folder, 'email'));
  await writeFile(join(folder, 'email/errors.md'), '# Errors\n\nWhat to do.\n');
  gateway = await startGateway({ POSTERN_DOCUMENTATION_DIR: folder });
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

const know = (scope: 'read' | 'write' = 'write', operations?: PlatformOperation[]) =>
  gateway.services.on(admitPlatformCall, ({ required }) => {
    if (required === 'write' && scope === 'read')
      throw new Refusal('insufficient_scope', 'the platform key is read-only', { required, actual: scope });
    const key = { ...platform.REPORTED_KEY, scope, ...(operations ? { operations } : {}) };
    const caller = { user_id: platform.USER, workspace_id: platform.WORKSPACE, key };
    return { caller, rate_limit: platform.RATE_LIMIT };
  });
beforeEach(() => {
  platform.admitAll(gateway.services);
  gateway.services.on(sendEmail, () => ({ email: email.RECORD, rate_limit: email.RATE_LIMIT, replayed: false }));
  know();
});

const clients: Client[] = [];
afterEach(() => Promise.all(clients.splice(0).map(client => client.close())));

const connect = async (headers: Record<string, string>, path = '/mcp'): Promise<Client> => {
  const client = new Client({ name: 'spec', version: '1.0.0' });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url + path), { requestInit: { headers } }));
  return client;
};
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
const callTool = async (client: Client, name: string, input: Record<string, unknown>) => {
  const { content, isError = false } = await client.callTool({ name, arguments: input });
  const [part] = content as readonly { readonly text?: string }[];
  return { isError, text: part?.text ?? '' };
};
const dataIn = (text: string): unknown =>
  JSON.parse(/<(untrusted-[0-9a-f-]{36})>\n([\s\S]*)\n<\/\1>/.exec(text)?.[2] ?? '');
const WRITES = '/mcp?allow_writes=true';
/** The answer in the documentation of an operation. */
const exampleOf = <C extends RequestContract>({ http }: C) => http[0]?.examples?.reply as ReplyOf<C>;

describe('the MCP server', () => {
  it('offers what a platform key may read, and what it may change only on request', async () => {
    const reading = await namesOf(await connect(platform.bearer));
    expect(reading).toEqual(
      expect.arrayContaining(['list_deployments', 'get_logs', 'list_web_services', 'get_own_key']),
    );
    expect(reading.filter(name => /^(create|set|delete|deploy|start|stop)/.test(name))).toEqual([]);
    expect(reading).not.toContain('send_email');
    const writing = await namesOf(await connect(platform.bearer, WRITES));
    expect(writing).toEqual(expect.arrayContaining([...reading, 'create_deployment', 'set_variable']));
    expect(new Set(writing).size).toBe(writing.length);
  });

  it('has a tool for every operation of the platform API', async () => {
    const operations = ALL_REQUESTS.flatMap(({ name, http }) =>
      http
        .filter(({ access }) => [access].flat().includes('platform-key'))
        .map(({ operationId }) => operationId ?? name),
    );
    const names = operations.map(name =>
      name
        .replace(/(?<=[a-z0-9])[A-Z]/g, '_$&')
        .replaceAll('-', '_')
        .toLowerCase(),
    );
    expect(names.length).toBeGreaterThan(70);
    expect(await namesOf(await connect(platform.bearer, WRITES))).toEqual(expect.arrayContaining(names));
  });

  it('offers no more than the scope and the operations of the key', async () => {
    know('read');
    expect(await namesOf(await connect(platform.bearer, WRITES))).not.toContain('create_deployment');
    know('write', ['deployments:write']);
    expect((await namesOf(await connect(platform.bearer, WRITES))).sort()).toEqual([
      'cancel_deployment',
      'create_deploy_hook',
      'create_deployment',
      'delete_deploy_hook',
      'get_deploy_hook',
      'get_deployment',
      'get_deployment_logs',
      'get_own_key',
      'list_deployments',
      'roll_back_deployment',
    ]);
  });

  it('calls the API with the key, and marks the answer as data', async () => {
    const client = await connect(platform.bearer, WRITES);
    const { isError, text } = await callTool(client, 'list_deployments', { web_service_id: email.ID, limit: 5 });
    expect(isError).toBe(false);
    expect(dataIn(text)).toMatchObject({ items: expect.any(Array) });
    expect(gateway.services.requestsOf(listDeployments).at(-1)).toMatchObject({ web_service_id: email.ID, limit: 5 });
    await callTool(client, 'create_deployment', { web_service_id: email.ID, branch: 'main' });
    expect(gateway.services.requestsOf(createDeployment).at(-1)).toMatchObject({
      web_service_id: email.ID,
      branch: 'main',
      workspace_id: platform.WORKSPACE,
    });
  });

  it('gives each tool the schema of its answer, and answers by it', async () => {
    const client = await connect(platform.bearer, WRITES);
    const { tools } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema?.type !== 'object').map(({ name }) => name)).toEqual([]);
    const lines = { properties: { lines: { type: 'array' } }, required: ['lines'] };
    expect(tools.find(({ name }) => name === 'get_logs')?.outputSchema).toMatchObject(lines);
    // The client checks the answers against the schemas.
    gateway.services.on(listDeployments, () => exampleOf(listDeployments));
    gateway.services.on(listVariables, () => exampleOf(listVariables));
    const listed = await client.callTool({ name: 'list_deployments', arguments: { web_service_id: email.ID } });
    expect(listed.structuredContent).toEqual(exampleOf(listDeployments));
    const variables = await client.callTool({ name: 'list_variables', arguments: { web_service_id: email.ID } });
    expect(variables.structuredContent).toEqual({ result: exampleOf(listVariables) });
  });

  it('returns the error of the API with its code, and refuses what it does not offer', async () => {
    gateway.services.on(listDeployments, () => {
      throw new Refusal('web_service_not_found', 'there is no such web service');
    });
    const client = await connect(platform.bearer);
    const missing = await callTool(client, 'list_deployments', { web_service_id: email.ID });
    expect(missing).toEqual({ isError: true, text: expect.stringContaining('Code: web_service_not_found') });
    const wrong = await callTool(client, 'list_deployments', { web_service_id: 'shop' });
    expect(wrong).toEqual({ isError: true, text: expect.stringContaining('web_service_id') });
    const refused = await callTool(client, 'create_deployment', { web_service_id: email.ID });
    expect(refused).toEqual({ isError: true, text: expect.stringContaining('allow_writes=true') });
    const unknown = await callTool(client, 'drop_everything', {});
    expect(unknown).toEqual({ isError: true, text: expect.stringContaining('no tool drop_everything') });
    expect(gateway.services.requestsOf(createDeployment)).toEqual([]);
  });

  it('sends email with the key of an email service, which is in the log of requests', async () => {
    const client = await connect({ authorization: `Bearer ${email.KEY}` }, WRITES);
    expect((await namesOf(client)).sort()).toEqual([
      'cancel_scheduled_email',
      'create_webhook_listener',
      'get_email',
      'get_scheduled_email',
      'list_scheduled_emails',
      'read_webhook_listener',
      'remove_webhook_listener',
      'reschedule_email',
      'schedule_email',
      'send_email',
      'send_email_batch',
    ]);
    const { isError, text } = await callTool(client, 'send_email', email.EMAIL);
    expect([isError, dataIn(text)]).toEqual([false, email.RECORD]);
    await waitFor(() => gateway.services.logged.some(({ email_id }) => email_id === email.ID));
    const both = await connect({ ...platform.bearer, 'api-key': email.KEY }, WRITES);
    expect(await namesOf(both)).toEqual(expect.arrayContaining(['send_email', 'create_deployment']));
  });

  it('offers what the scopes of a management key allow', async () => {
    gateway.services.on(authenticateManagementKey, () => ({
      key: {
        id: email.ID,
        name: 'assistant',
        key_prefix: MANAGEMENT_KEY.slice(0, 13),
        scopes: ['messages:read' as const],
        service_id: null,
        expiry: null,
      },
      user_id: platform.USER,
      email: 'owner@example.com',
      workspace_id: platform.WORKSPACE,
      role: 'owner' as const,
    }));
    const client = await connect({ authorization: `Bearer ${MANAGEMENT_KEY}` }, WRITES);
    const names = await namesOf(client);
    expect(names).toEqual(expect.arrayContaining(['get_status', 'list_emails', 'list_email_requests']));
    expect(names).not.toContain('add_sending_domain');
    const { isError, text } = await callTool(client, 'list_email_services', {});
    expect([isError, Array.isArray(dataIn(text))]).toEqual([false, true]);
    expect(await callTool(client, 'add_sending_domain', { service_id: email.ID, domain: 'a.example' })).toEqual({
      isError: true,
      text: expect.stringContaining('Code: scope_insufficient'),
    });
  });

  it('has the pages of the documentation as resources, and prompts', async () => {
    const client = await connect(platform.bearer);
    const uri = 'http://gateway.test/docs/email/errors.md';
    expect((await client.listResources()).resources).toMatchObject([{ uri, name: 'Errors' }]);
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: '# Errors\n\nWhat to do.\n' }]);
    await expect(client.readResource({ uri: 'http://gateway.test/docs/../secret.md' })).rejects.toThrow('no page');
    const { prompts } = await client.listPrompts();
    expect((await client.getPrompt({ name: prompts[0]!.name })).messages).toHaveLength(1);
  });

  it('needs a key, and only accepts POST', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const headers of [{}, { authorization: 'Bearer st_live_x' }, { 'api-key': 'em_live_short' }]) {
      const answer = await call('POST', `${gateway.url}/mcp`, { headers, body: message });
      expect([answer.status, answer.headers['error-code'], answer.headers['www-authenticate']]).toEqual([
        401,
        'key_missing',
        'Bearer',
      ]);
    }
    const get = await call('GET', `${gateway.url}/mcp`, { headers: platform.bearer });
    expect([get.status, get.headers['allow']]).toEqual([405, 'OPTIONS, POST']);
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} };
    expect((await call('POST', `${gateway.url}/mcp`, { headers: platform.bearer, body: listen })).status).toBe(400);
  });
});
