import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { AuditEntry, Page } from '@postern/contracts';
import { eventually, waitFor } from '@postern/testing';
import pg from 'pg';
import { type Answer, postern } from './operator.js';
import { ownWorld } from './stories.js';

const world = await ownWorld();

const cli = (...args: string[]): Promise<Answer> => postern(world.postern, args);

const entriesOf = async (query = ''): Promise<readonly AuditEntry[]> => {
  const { status, body } = await world.callDashboardApi('GET', `/audit-log?limit=100${query}`);
  expect(status).toBe(200);
  return (body as unknown as Page<AuditEntry>).items;
};

const entryOf = async ({ headers }: { readonly headers: Headers }): Promise<AuditEntry | undefined> => {
  const requestId = headers.get('x-request-id');
  return (await entriesOf()).find(({ request_id }) => request_id === requestId);
};

const signIn = (email: string, password: string) =>
  world.call('POST', '/dashboard/api/session', { body: { email, password } });

const inDatabase = async <Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client({ connectionString: world.postern.wiring.databaseUrl('platform-management') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

describe('The audit log', () => {
  it('records what a user does in the dashboard: actor, action, time, origin and outcome', async () => {
    const created = await world.callDashboardApi('POST', '/email-services', { name: 'Shop' });
    const me = await world.callDashboardApi('GET', '/me');
    expect(await entryOf(created)).toMatchObject({
      actor: { type: 'user', id: me.body['id'] },
      action: 'email_service.created',
      resource: { type: 'email_service', id: created.body['id'], name: 'Shop' },
      workspace_id: (me.body['active_workspace'] as { id: string }).id,
      client: { network: '127.0.0.0/24', user_agent: 'node' },
      outcome: 'succeeded',
      code: null,
    });

    const path = `/email-services/${created.body['id'] as string}/api-keys`;
    const key = await world.callDashboardApi('POST', path, { name: 'Server' });
    const revoked = await world.callDashboardApi('DELETE', `${path}/${key.body['id'] as string}`);
    const resource = { id: key.body['id'], name: 'Server' };
    expect(await entryOf(key)).toMatchObject({ action: 'api_key.created', resource });
    expect(await entryOf(revoked)).toMatchObject({ action: 'api_key.deleted', resource });
    const service = `/email-services/${created.body['id'] as string}`;
    const webhook = { url: 'http://localhost:9/hook', events: ['delivered'] };
    for (const [resources, body, name] of [
      ['domains', { domain: 'audited.test' }, 'audited.test'],
      ['webhooks', webhook, webhook.url],
      ['recipients', { address: 'ada@audited.test' }, 'ada@audited.test'],
      ['templates', { name: 'receipt', subject: 'Hello', html: '<p>Hello</p>' }, 'receipt'],
    ] as const) {
      const answer = await world.callDashboardApi('POST', `${service}/${resources}`, body);
      expect([resources, (await entryOf(answer))?.resource.name]).toEqual([resources, name]);
    }
    const stored = await inDatabase(client => client.query('SELECT * FROM audit_entries'));
    expect(JSON.stringify(stored.rows)).not.toContain(key.body['key']);
  });

  it('records the calls of a platform key, including refused ones', async () => {
    const key = await world.callDashboardApi('POST', '/platform-keys', { name: 'CI', scope: 'write' });
    const headers = { authorization: `Bearer ${key.body['key'] as string}` };
    const created = await world.call('POST', '/api/v1/projects', { headers, body: { name: 'Shop' } });
    const refused = await world.call('POST', '/api/v1/projects', { headers, body: { colour: 'red' } });
    const actor = { type: 'platform_key', id: key.body['id'] };
    expect(await entryOf(created)).toMatchObject({ actor, action: 'project.created', outcome: 'succeeded' });
    expect(await entryOf(refused)).toMatchObject({ actor, outcome: 'refused', code: 'invalid_input' });

    const settings = { name: 'web', project_id: created.body['id'], git_repository_url: 'file:///nowhere', port: 3000 };
    const web = await world.call('POST', '/api/v1/web-services', { headers, body: settings });
    const deployments = `/api/v1/web-services/${web.body['id'] as string}/deployments`;
    const deployed = await world.call('POST', deployments, { headers, body: {} });
    expect(await entryOf(deployed)).toMatchObject({
      action: 'deployment.created',
      resource: { type: 'deployment', id: deployed.body['id'], name: 'web' },
    });
  });

  it('records sign-ins, failed sign-ins of known and unknown accounts, and sign-outs, without an address', async () => {
    const { email, password } = world.postern.operator;
    const me = await world.callDashboardApi('GET', '/me');
    const good = await signIn(email, password);
    const wrong = await signIn(email, 'not the password');
    const unknown = await signIn('nobody@example.com', 'not the password');
    const out = await world.callDashboardApi('DELETE', '/session', undefined, good.body['token'] as string);
    const user = { type: 'user', id: me.body['id'] };
    expect(await entryOf(good)).toMatchObject({ actor: user, action: 'session.created', outcome: 'succeeded' });
    expect(await entryOf(wrong)).toMatchObject({ actor: user, outcome: 'refused', code: 'credentials_wrong' });
    expect(await entryOf(unknown)).toMatchObject({
      actor: { type: 'unknown', id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect(await entryOf(out)).toMatchObject({ actor: user, action: 'session.deleted', outcome: 'succeeded' });
    // The names of users are their addresses today; entries have only their ids.
    const stored = await inDatabase(client => client.query('SELECT * FROM audit_entries'));
    expect(JSON.stringify(stored.rows)).not.toMatch(/example\.com|password"/);
    expect(JSON.stringify(await entriesOf())).not.toMatch(/nobody@|password"/);
  });

  it('records the commands of operators, including erasures', async () => {
    await cli('recipients', 'erase', 'ada@customers.test');
    await cli('events', 'discard', 'email-send', '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f');
    const [discarded, erased] = await entriesOf('&actor=operator');
    expect(erased).toMatchObject({
      action: 'recipient.erased',
      outcome: 'succeeded',
      resource: { id: expect.any(String) },
    });
    expect(discarded).toMatchObject({ action: 'event.discarded', outcome: 'refused', code: 'event_not_set_aside' });
    const { rows } = await inDatabase(client => client.query('SELECT * FROM audit_entries'));
    expect(JSON.stringify(rows)).not.toContain('customers.test');
  });

  it('is the same in lists and exports of the CLI and of the dashboard API', async () => {
    const listed = await cli('audit', 'list', '--action', 'platform_key', '--from', '2020-01-01');
    expect([listed.code, listed.printed]).toEqual([
      0,
      expect.stringMatching(/platform_key\.created +platform_key:CI /),
    ]);
    const templates = await cli('audit', 'list', '--action', 'template');
    expect(templates.printed).toMatch(
      new RegExp(`user:${world.postern.operator.email} +template.created +template:receipt `),
    );
    const { total } = (await world.callDashboardApi('GET', '/audit-log')).body as { total: number };
    const exported = await cli('audit', 'export', '--format', 'ndjson');
    expect(exported.printed.trim().split('\n')).toHaveLength(total);
    const file = await world.call('GET', '/dashboard/api/audit-log?format=csv', {
      headers: { authorization: `Bearer ${world.token}` },
    });
    expect(String(file.body['text']).trim().split('\r\n')).toHaveLength(total + 1);
  });

  it('contains the request id of the access log', async () => {
    const refused = await world.call('POST', '/emails', { headers: { 'x-request-id': 'audit-story-1' } });
    expect(refused.status).toBe(401);
    await eventually(() => {
      const log = readFileSync(world.postern.home.logFile('api-gateway'), 'utf8');
      const line = log.split('\n').find(text => text.includes('audit-story-1')) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({ msg: 'Request completed', route: '/emails', status: 401 });
    });
  });

  it('keeps the attempt of a call if the gateway is killed between the change and the response', async () => {
    // A trigger delays the update of the outcome, so that the kill happens first.
    await inDatabase(client =>
      client.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$;
        CREATE TRIGGER slow BEFORE UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION slow()`),
    );
    const answer = world.callDashboardApi('POST', '/email-services', { name: 'Killed' }).then(
      ({ status }) => status,
      () => 'no answer',
    );
    const isCreated = async () =>
      JSON.stringify((await world.callDashboardApi('GET', '/email-services')).body).includes('"Killed"');
    await waitFor(isCreated, { timeoutMs: 1_400, intervalMs: 10, describe: 'the change' });
    process.kill(world.postern.processes()['api-gateway']!, 'SIGKILL');
    expect(await answer).toBe('no answer');
    await inDatabase(client => client.query('DROP TRIGGER slow ON audit_entries'));
    await eventually(async () => expect((await world.callDashboardApi('GET', '/me')).status).toBe(200), {
      timeoutMs: 20_000,
    });
    const [killed, shop, ...more] = await entriesOf('&action=email_service.created');
    expect([killed?.actor.type, shop?.outcome, more]).toEqual(['user', 'succeeded', []]);
    // PostgreSQL may have committed the outcome after the gateway was killed.
    expect(['attempted', 'succeeded']).toContain(killed?.outcome);
  });
});
