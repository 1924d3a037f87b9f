import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Notification, NotificationTarget } from '@postern/contracts';
import { EndpointHttpClient, OutboundGuard } from '@postern/outbound';
import { type Database, KeyRing } from '@postern/service-host';
import { startHttpReceiver, startPostgres, type TestHttpReceiver, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { silentLog } from '../testing/assemble-replica.js';
import { migratedDatabase } from '../testing/migrated-database.js';
import { DeliverNotifications } from './deliver-notifications.js';
import { NotificationSender } from './notification-sender.js';
import { NotificationTargets } from './notification-targets.js';

const keys = new KeyRing([{ id: 'test', key: randomBytes(32) }]);
const usage = { hasPlaces: async () => undefined } as unknown as WorkspaceUsage;

let postgres: TestPostgres;
let pool: pg.Pool;
let client: EndpointHttpClient;
let targets: NotificationTargets;
let deliveries: DeliverNotifications;
let receiver: TestHttpReceiver;
let workspaceId: string;
let stopping: AbortController;
let delivering: Promise<void>;
const targetsBehind = (guard: OutboundGuard) =>
  new NotificationTargets({ pool } as Database, keys, guard, new NotificationSender(client), usage);

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  pool = new pg.Pool({ connectionString: await migratedDatabase(postgres), max: 4 });
  const guard = new OutboundGuard({ allowPrivate: true });
  client = new EndpointHttpClient(guard, { timeoutMs: 500 });
  targets = targetsBehind(guard);
  deliveries = new DeliverNotifications({ pool } as Database, keys, new NotificationSender(client), silentLog);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await pool?.end();
  await postgres?.stop();
});
beforeEach(async () => {
  receiver = await startHttpReceiver();
  workspaceId = uuidv7();
  stopping = new AbortController();
  delivering = deliveries.run({ signal: stopping.signal });
});
afterEach(async () => {
  stopping.abort();
  await delivering;
  await receiver.stop();
  await pool.query('DELETE FROM notification_targets');
});

const create = (kind: NotificationTarget['kind'], url = `${receiver.url}/in`) =>
  targets.create({ workspace_id: workspaceId, kind, url });
const list = () => targets.list({ workspace_id: workspaceId });
const about = (changes: Partial<Notification> = {}): Notification => ({
  id: uuidv7(),
  event: 'deployment_failed',
  timestamp: '2026-01-02T03:04:05.000Z',
  workspace_id: workspaceId,
  resource: { type: 'web_service', id: uuidv7(), name: 'shop' },
  summary: 'Deployment failed: shop',
  text: 'A deployment of the web service "shop" failed.',
  url: 'https://postern.example/dashboard/web-services/1',
  ...changes,
});
const received = (count: number) =>
  waitFor(async () => (receiver.requests.length >= count ? receiver.requests : undefined), {
    describe: `${count} requests`,
  });
const untilTarget = (what: string, fits: (target: NotificationTarget) => boolean) =>
  waitFor(async () => (await list()).find(fits), { describe: what });
const waiting = async () =>
  (await pool.query<{ id: string }>('SELECT id FROM notification_deliveries WHERE next_attempt_at IS NOT NULL')).rows;
const tryNow = () =>
  pool.query('UPDATE notification_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL');

describe('a webhook for notifications', () => {
  it('gets signed JSON, with the secret that was shown once', async () => {
    const { secret, ...target } = await create('webhook');
    expect(secret).toMatch(/^whsec_/);
    expect(await list()).toEqual([target]);
    const notification = about();
    await deliveries.queue(notification);
    const [request] = await received(1);
    expect(JSON.parse(request!.body.toString())).toEqual(notification);
    const timestamp = request!.headers['x-service-timestamp'];
    const signature = createHmac('sha256', secret!).update(`${timestamp}.${request!.body}`).digest('hex');
    expect(request!.headers['x-service-signature']).toBe(signature);
    await untilTarget('the delivery', ({ last_delivered_at }) => last_delivered_at !== null);
    expect(await waiting()).toEqual([]);
  });

  it('gets each notification once, even if it is queued again', async () => {
    await create('webhook');
    const [first, second] = [about(), about({ summary: 'second' })];
    for (const each of [first, first, second]) await deliveries.queue(each);
    await waitFor(async () => ((await waiting()).length === 0 ? true : undefined), { describe: 'all deliveries' });
    expect(receiver.requests.map(({ body }) => JSON.parse(body.toString()).id).sort()).toEqual(
      [first.id, second.id].sort(),
    );
  });

  it('gets a notification again after a failure, which its target shows', async () => {
    await create('webhook');
    receiver.answerNext({ status: 503, body: 'be right back' }, { behaviour: 'hang' });
    await deliveries.queue(about());
    const failing = await untilTarget('the failure', ({ last_error }) => last_error !== null);
    expect(failing).toMatchObject({ last_error: 'HTTP 503: be right back', failing_since: expect.any(String) });
    await tryNow();
    await untilTarget('the time limit', ({ last_error }) => last_error === 'no complete answer within 0.5 s');
    await tryNow();
    await untilTarget('the success', ({ last_error, failing_since }) => last_error === null && failing_since === null);
    expect(receiver.requests).toHaveLength(3);
  });

  it.each([
    [{ status: 410 }, 'HTTP 410', 0],
    [{ status: 429 }, 'HTTP 429', 1],
    [{ status: 307, headers: { location: 'http://169.254.169.254/' } }, 'HTTP 307', 1],
  ] as const)('that answers %j has the error %s and %d notifications that wait', async (answer, error, count) => {
    await create('webhook');
    receiver.answerNext(answer);
    await deliveries.queue(about());
    await untilTarget('the answer', ({ last_error }) => last_error === error);
    expect(await waiting()).toHaveLength(count);
    expect(receiver.requests).toHaveLength(1);
  });

  it('is given up after the last attempt', async () => {
    await create('webhook');
    receiver.answerWith({ status: 500 });
    await deliveries.queue(about());
    await received(1);
    await pool.query('UPDATE notification_deliveries SET attempts = 11, next_attempt_at = now()');
    await waitFor(async () => ((await waiting()).length === 0 ? true : undefined), { describe: 'the last attempt' });
  });

  it('that never answers does not delay others', async () => {
    const hanging = await startHttpReceiver();
    hanging.answerWith({ behaviour: 'hang' });
    await create('webhook', hanging.url);
    await create('webhook');
    await deliveries.queue(about());
    await received(1);
    await untilTarget('the time limit', ({ last_error }) => last_error !== null);
    await hanging.stop();
  });
});

describe('a Slack target', () => {
  it('gets text in which names of tenants have no markup, and its URL is not shown', async () => {
    const { secret, url } = await create('slack', `${receiver.url}/services/T1/B2/secret`);
    expect([secret, url]).toEqual([null, `${receiver.url}/…`]);
    await deliveries.queue(
      about({ summary: 'Deployment failed: *<!channel>* & co', text: '<https://evil.example|ok>' }),
    );
    const [request] = await received(1);
    expect(request!.url).toBe('/services/T1/B2/secret');
    expect(JSON.parse(request!.body.toString())).toEqual({
      text: '*Deployment failed: &lt;!channel&gt; &amp; co*\n&lt;https://evil.example|ok&gt;\n<https://postern.example/dashboard/web-services/1|Open in Postern>',
    });
    expect(request!.headers['x-service-signature']).toBeUndefined();
    const { rows } = await pool.query('SELECT t::text AS target FROM notification_targets t');
    expect(JSON.stringify([rows, await list()])).not.toContain('/services/T1');
  });
});

describe('notification targets', () => {
  it('belong to one workspace', async () => {
    const { id } = await create('slack');
    const other = { workspace_id: uuidv7(), target_id: id };
    expect(await targets.list(other)).toEqual([]);
    for (const attempt of [targets.remove(other), targets.test(other)])
      await expect(attempt).rejects.toMatchObject({ code: 'notification_target_not_found' });
    await deliveries.queue(about({ workspace_id: other.workspace_id }));
    expect(await waiting()).toEqual([]);
    expect(await targets.remove({ ...other, workspace_id: workspaceId })).toEqual({ id, deleted: true });
    expect(await list()).toEqual([]);
  });

  it('are at most ten in a workspace, also if they are created at the same time', async () => {
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => create('slack')));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ reason: { code: 'too_many_notification_targets' } });
  });

  it('have public addresses', async () => {
    const guarded = targetsBehind(new OutboundGuard({ allowPrivate: false }));
    for (const url of ['https://127.0.0.1/', 'http://example.com/', 'https://[fd00::1]/', 'not a url'])
      await expect(guarded.create({ workspace_id: workspaceId, kind: 'slack', url })).rejects.toMatchObject({
        code: 'invalid_url',
        message: expect.stringMatching(/^url: /),
      });
  });

  it('can be tested, which is in no queue', async () => {
    const { id } = await create('webhook');
    const test = () => targets.test({ workspace_id: workspaceId, target_id: id });
    expect(await test()).toEqual({ accepted: true, error: null, duration_ms: expect.any(Number) });
    expect(JSON.parse(receiver.requests[0]!.body.toString())).toMatchObject({
      event: 'test',
      workspace_id: workspaceId,
    });
    receiver.answerNext({ status: 404, body: 'no_service' });
    expect(await test()).toMatchObject({ accepted: false, error: 'HTTP 404: no_service' });
    expect(await waiting()).toEqual([]);
  });
});
