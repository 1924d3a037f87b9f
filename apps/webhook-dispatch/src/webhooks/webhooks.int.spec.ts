import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWebhook,
  getWebhook,
  listWebhooks,
  nameWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  switchWebhookSecret,
  updateWebhook,
} from '@postern/contracts';
import { Database } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { DisableFailingWebhooks } from '../deliveries/disable-failing-webhooks.js';
import { DispatchFixture, signatureOf } from '../testing/dispatch-fixture.js';

let world: DispatchFixture;

beforeAll(async () => {
  world = await DispatchFixture.start();
  await sql(
    "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the database failed here'; END $$",
  );
}, 60_000);

afterAll(() => world.stop());

const sql = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await world.service.app.get(Database, { strict: false }).pool.query(text, values)).rows;

/** Runs `attempt` while all statements of one kind fail, as if the process had crashed before them. */
const whileFailing = async (
  operation: 'INSERT' | 'UPDATE' | 'DELETE',
  table: string,
  attempt: () => Promise<unknown>,
) => {
  await sql(`CREATE TRIGGER fail BEFORE ${operation} ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION fail()`);
  await expect(attempt()).rejects.toThrow();
  await sql(`DROP TRIGGER fail ON ${table}`);
};

const register = async (service_id: string = randomUUID()) => {
  const url = `${world.receiver.url}/${randomUUID()}`;
  const { id, secret } = await world.client.request(createWebhook, {
    service_id,
    workspace_id: service_id,
    url,
    events: ['delivered'],
  });
  return { service_id, webhook_id: id, secret };
};

type Target = Awaited<ReturnType<typeof register>>;
const rotate = (target: Target) => world.client.request(rotateWebhookSecret, target);
const switchSecret = (target: Target) => world.client.request(switchWebhookSecret, target);

const expectSignedWith = async (secret: string, { service_id }: Target) => {
  const call = await world.requestFor(await world.publish('delivered', service_id));
  expect(call.headers['x-service-signature']).toBe(signatureOf(secret, call));
};

it('The name of a webhook for the audit log is its URL, also after it is removed', async () => {
  const url = `${world.receiver.url}/${randomUUID()}`;
  const service_id = randomUUID();
  const { id } = await world.client.request(createWebhook, {
    service_id,
    workspace_id: service_id,
    url,
    events: ['delivered'],
  });
  const named = () => world.client.request(nameWebhooks, { ids: [id, randomUUID()] });
  expect(await named()).toEqual({ resources: [{ id, name: url }] });
  await world.client.request(removeWebhook, { service_id, webhook_id: id });
  expect(await named()).toEqual({ resources: [{ id, name: url }] });
});

describe('A change of a webhook that fails is rolled back:', () => {
  it('the rotation of its secret', async () => {
    const target = await register();
    await whileFailing('UPDATE', 'webhook_secrets', () => rotate(target));
    expect(await world.client.request(getWebhook, target)).toMatchObject({ next_secret_ready: false });
    await expect(switchSecret(target)).rejects.toMatchObject({ code: 'no_next_secret' });
    await expectSignedWith(target.secret, target);
  });

  it('the switch to the next secret, which can be repeated', async () => {
    const target = await register();
    const { secret } = await rotate(target);
    await whileFailing('UPDATE', 'webhook_secrets', () => switchSecret(target));
    await expectSignedWith(target.secret, target);
    expect(await switchSecret(target)).toMatchObject({ next_secret_ready: false });
    await expectSignedWith(secret, target);
  });

  it('its creation', async () => {
    const service_id = randomUUID();
    const secrets = async () => (await sql('SELECT 1 FROM webhook_secrets')).length;
    const before = await secrets();
    await whileFailing('INSERT', 'event_store.events', () => register(service_id));
    expect(await world.client.request(listWebhooks, { service_id })).toEqual([]);
    expect(await secrets()).toBe(before);
  });

  it('its removal', async () => {
    const target = await register();
    await whileFailing('DELETE', 'webhook_secrets', () => world.client.request(removeWebhook, target));
    await expectSignedWith(target.secret, target);
    await world.client.request(removeWebhook, target);
    expect(await sql('SELECT 1 FROM webhook_secrets WHERE webhook_id = $1', target.webhook_id)).toEqual([]);
  });

  it('its disabling and enabling', async () => {
    const target = await register();
    const enabled = (value: boolean) => () =>
      world.client.request(updateWebhook, { ...target, changes: { enabled: value } });
    await whileFailing('UPDATE', 'deliveries', enabled(false));
    expect(await world.client.request(getWebhook, target)).toMatchObject({ enabled: true });
    await enabled(false)();
    await whileFailing('DELETE', 'failing_webhooks', enabled(true));
    expect(await world.client.request(getWebhook, target)).toMatchObject({ enabled: false });
  });
});

describe('A delivery queued while its endpoint is being disabled', () => {
  it('is held', async () => {
    const target = await register();
    await world.client.request(updateWebhook, { ...target, changes: { enabled: false } });
    const emailId = await world.publish('delivered', target.service_id);
    const states = async () =>
      (
        await sql(
          'SELECT state FROM deliveries WHERE webhook_id = $1 AND payload LIKE $2',
          target.webhook_id,
          `%${emailId}%`,
        )
      ).map(({ state }) => state);
    await waitFor(async () => (await states()).length === 1);
    // The state of a delivery queued while the read model still showed the endpoint as enabled.
    await sql("UPDATE deliveries SET state = 'pending', reason = NULL WHERE webhook_id = $1", target.webhook_id);
    await world.service.app.get(DisableFailingWebhooks, { strict: false }).run();
    expect(await states()).toEqual(['held']);
  });
});

describe('The limit of webhooks for each service', () => {
  it('holds for concurrent creations, and permits another one after a removal', async () => {
    const service_id = randomUUID();
    const attempts = await Promise.allSettled(Array.from({ length: 25 }, () => register(service_id)));
    const created = attempts.flatMap(attempt => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(created).toHaveLength(20);
    for (const attempt of attempts)
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'quota_reached' });
    expect(await world.client.request(listWebhooks, { service_id })).toHaveLength(20);

    await world.client.request(removeWebhook, created[0]!);
    await register(service_id);
    await expect(register(service_id)).rejects.toMatchObject({ code: 'quota_reached' });
  });
});

describe('The rate limit and the order of a webhook', () => {
  const read = ({ service_id, webhook_id }: Target) => world.client.request(getWebhook, { service_id, webhook_id });

  it('are absent at first, can be set, and stay when something else changes', async () => {
    const target = await register();
    expect(await read(target)).toMatchObject({ rate_limit: null, ordered: false });
    const changed = (changes: object) => world.client.request(updateWebhook, { ...target, changes });
    expect(await changed({ rate_limit: 5, ordered: true })).toMatchObject({ rate_limit: 5, ordered: true });
    expect(await changed({ events: ['bounced'] })).toMatchObject({ rate_limit: 5, ordered: true });
    expect(await changed({ rate_limit: null })).toMatchObject({ rate_limit: null, ordered: true });
    expect(await read(target)).toMatchObject({ rate_limit: null, ordered: true, events: ['bounced'] });
  });

  it.each([0, 1_001, 1.5])('are refused with the limit %d', async rate_limit => {
    const target = await register();
    await expect(world.client.request(updateWebhook, { ...target, changes: { rate_limit } })).rejects.toMatchObject({
      message: expect.stringContaining('rate_limit'),
    });
  });
});
