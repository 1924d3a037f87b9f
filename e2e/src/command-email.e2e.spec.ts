import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '@postern/sdk';
import { freePort, startHttpReceiver, type TestHttpReceiver, waitFor } from '@postern/testing';
import { CommandRunner } from './command/command-runner.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Command', 'command.example.com');
const url = world.postern.baseUrl;
const { email, password } = world.operatorLogin;

const ADDRESSES = ['--from', 'Shop <shop@command.example.com>', '--to', 'delivered@simulator.test'];
const MESSAGE = [...ADDRESSES, '--subject', 'Hello', '--text', 'It works.'];

const runners: CommandRunner[] = [];
const newRunner = (environment: Record<string, string> = {}) => {
  const runner = new CommandRunner(environment);
  runners.push(runner);
  return runner;
};
afterAll(() => {
  for (const runner of runners) runner.stop();
});

describe('postern login', () => {
  it('stores a key readable by its user only, and never prints it', async () => {
    const runner = newRunner();
    const { code, out, err } = await runner.run(['login', '--url', `${url}/`], `${sender.apiKey}\n`);

    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain(sender.apiKey);
    const path = join(runner.folder, 'config/postern/config.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ url, email_key: sender.apiKey });

    const shown = await runner.run(['whoami']);
    expect(shown.out).toContain(url);
    expect(shown.out).not.toContain(sender.apiKey);
  });

  it('stores nothing if Postern refuses the key', async () => {
    const runner = newRunner();
    const wrong = await runner.run(['login', '--url', url], `em_live_${'x'.repeat(43)}\n`);
    expect(wrong.code).toBe(3);
    const unknown = await runner.run(['login', '--url', url], 'secret\n');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('em_live_')]);
    expect(unknown.err).not.toContain('secret');

    const sending = await runner.run(['send', ...MESSAGE]);
    expect([sending.code, sending.err]).toEqual([3, expect.stringContaining('postern login')]);
  });

  it('does not send a stored credential to another server', async () => {
    const runner = newRunner();
    await runner.run(['login', '--url', url], `${sender.apiKey}\n`);
    const other = await runner.run(['send', ...MESSAGE], '', { POSTERN_URL: 'http://127.0.0.1:9' });
    expect([other.code, other.err]).toEqual([3, expect.stringContaining('email key')]);
  });
});

describe('the command with a key', () => {
  const runner = newRunner({ POSTERN_URL: url, POSTERN_EMAIL_KEY: sender.apiKey });

  it('sends a message, and shows its record', async () => {
    const sent = await runner.run(['send', ...MESSAGE, '--json']);
    expect([sent.code, sent.err]).toEqual([0, '']);
    const { id, status } = sent.json();
    expect(status).toBe('sent');

    const shown = await runner.run(['emails', 'show', String(id), '--json']);
    expect(shown.json()).toEqual(sent.json());
  });

  it('sends the content of standard input, once per idempotency key', async () => {
    const args = ['send', ...ADDRESSES, '--subject', 'Report', '--html-file', '-', '--header', 'X-Run: 7', '--json'];
    const once = [...args, '--idempotency-key', `report-${Date.now()}`];
    const [first, second] = [await runner.run(once, '<p>All well</p>'), await runner.run(once, '<p>All well</p>')];
    expect(second.json()['id']).toBe(first.json()['id']);
  });

  it('fails with the message of the API, as text and as JSON', async () => {
    const args = ['send', '--from', 'broken', '--to', 'delivered@simulator.test', '--subject', 'x', '--text', 'x'];
    const { code, out, err } = await runner.run([...args, '--json']);
    expect(code).toBe(1);
    const { error } = JSON.parse(out) as { error: { code: string; status: number; message: string } };
    expect(error).toMatchObject({ status: 400, code: 'invalid_email' });
    expect(err).toContain(error.message);

    const { code: failed } = await runner.run(['emails', 'show', '00000000-0000-4000-8000-000000000000']);
    expect(failed).toBe(1);
  });

  it('forwards events with the key alone, and continues while the local server is down', async () => {
    const environment = { POSTERN_WEBHOOK_SECRET: 'whsec_bXkgb3du' };
    const args = ['webhooks', 'listen', '--forward-to', `http://127.0.0.1:${await freePort()}/`, '--json'];
    const listening = runner.start(args, '', environment);
    await listening.until(/"secret":"whsec_bXkgb3du"/);
    await sender.send({
      from: 'shop@command.example.com',
      to: ['delivered@simulator.test'],
      subject: 'Down',
      text: 'Hello',
    });
    await listening.until(/"event":"delivered".*"status":null,"error":"[^"]*ECONNREFUSED/, 40_000);
    expect((await listening.interrupt()).code).toBe(0);
  }, 90_000);

  it('reports what an incomplete command lacks', async () => {
    const { code, err } = await runner.run(['send', ...ADDRESSES, '--subject', 'Empty']);
    expect([code, err]).toEqual([2, expect.stringContaining('--text')]);
    expect((await runner.run(['sned'])).err).toContain('Did you mean send?');
  });
});

describe('the command with a session of the dashboard', () => {
  const runner = newRunner();
  let receiver: TestHttpReceiver;

  beforeAll(async () => {
    receiver = await startHttpReceiver();
    const { code, out } = await runner.run(['login', '--url', url, '--email', email], `${password}\n`);
    expect(code).toBe(0);
    expect(out).not.toContain(password);
  });
  afterAll(() => receiver.stop());

  it('refuses a wrong password', async () => {
    const { code } = await newRunner().run(['login', '--url', url, '--email', email], 'wrong\n');
    expect(code).toBe(3);
  });

  it('lists messages, and shows one with its timeline', async () => {
    const { body } = await sender.send({
      from: 'shop@command.example.com',
      to: ['hard-bounce@simulator.test'],
      subject: `Timeline ${Date.now()}`,
      text: 'Hello',
    });
    const id = String(body['id']);
    const service = ['--service', sender.serviceId];
    await waitFor(
      async () => {
        const { out } = await runner.run(['emails', 'list', ...service, '--state', 'bounced', '--search', 'Timeline']);
        return out.includes(id) && out.includes('hard-bounce@simulator.test bounced') ? out : undefined;
      },
      { timeoutMs: 30_000, intervalMs: 300, describe: 'the bounced message in the list' },
    );
    expect((await runner.run(['emails', 'show', id])).out).toMatch(/bounced\s+hard-bounce@simulator.test/);
    const json = (await runner.run(['emails', 'show', id, '--json'])).json<{ timeline: unknown[] }>();
    expect(json.timeline.length).toBeGreaterThan(1);
    const services = (await runner.run(['services', '--json'])).json<{ email_services: { id: string }[] }>();
    expect(services.email_services.map(each => each.id)).toContain(sender.serviceId);
  });

  it('forwards events to a local server, signed so that the SDK verifies them', async () => {
    const target = `${receiver.url}/local`;
    const args = ['webhooks', 'listen', '--forward-to', target, '--service', 'Command', '--events', 'delivered'];
    const listening = runner.start(args);
    const secret = await listening.until(/Signing secret: (whsec_\S+)/);
    const path = `/email-services/${sender.serviceId}/webhook-listeners`;
    expect((await world.callDashboardApi('GET', path)).body).toHaveLength(1);

    const message = { from: 'shop@command.example.com', subject: 'Forwarded', text: 'Hello' };
    await sender.send({ ...message, to: ['hard-bounce@simulator.test'] });
    const { body } = await sender.send({ ...message, to: ['delivered@simulator.test'] });
    const call = await receiver.nextRequest(request => request.url === '/local', { timeoutMs: 30_000 });
    const event = await verifyWebhook({ body: call.body, headers: call.headers, secret });
    expect(event).toMatchObject({ event: 'delivered', email_id: body['id'], to: 'delivered@simulator.test' });
    expect(call.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Postern-Webhooks/1' });
    // The same bytes as in the call of the service's webhook.
    const webhook = await sender.call('delivered', String(body['id']));
    expect(call.body.equals(webhook.body)).toBe(true);

    await listening.until(/delivered delivered@simulator.test -> 20\d/);
    const { code } = await listening.interrupt();
    expect(code).toBe(0);
    expect((await world.callDashboardApi('GET', path)).body).toEqual([]);
  }, 90_000);

  it('signs out', async () => {
    const token = JSON.parse(await readFile(join(runner.folder, 'config/postern/config.json'), 'utf8')).session.token;
    expect((await runner.run(['logout'])).code).toBe(0);
    expect((await world.callDashboardApi('GET', '/me', undefined, token)).status).toBe(401);
    expect((await runner.run(['emails', 'list'])).code).toBe(3);
  });
});
