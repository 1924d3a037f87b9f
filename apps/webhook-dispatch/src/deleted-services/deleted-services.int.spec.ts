import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { createWebhook, createWebhookListener, listWebhooks, serviceTrackingEnded } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { DispatchFixture } from '../testing/dispatch-fixture.js';
import { DeletedServiceData } from './deleted-service-data.js';

const world = await DispatchFixture.start();
afterAll(() => world.stop());

const pool = () => world.service.app.get(Database, { strict: false }).pool;
const register = async (service_id: string = randomUUID()) => {
  const url = `${world.receiver.url}/${randomUUID()}`;
  const { id } = await world.client.request(createWebhook, {
    service_id,
    workspace_id: service_id,
    url,
    events: ['delivered'],
  });
  return { service_id, id };
};

const publishDeletion = (service_id: string) =>
  world.source.publish([
    { id: randomUUID(), type: serviceTrackingEnded.type, data: { service_id, at: new Date().toISOString() } },
  ]);

const rowsOf = async (table: string, column: string, value: string): Promise<number> =>
  (await pool().query(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [value])).rowCount ?? 0;

it('The webhooks of a deleted email service stop at once, and their data is deleted', async () => {
  const kept = await register();
  const deleted = await register();
  const { id: listener } = await world.client.request(createWebhookListener, { service_id: deleted.service_id });
  await world.requestFor(await world.publish('delivered', deleted.service_id));
  await world.requestFor(await world.publish('delivered', kept.service_id));

  await publishDeletion(deleted.service_id);
  const { service_id } = deleted;
  await waitFor(async () => (await world.client.request(listWebhooks, { service_id })).length === 0, {
    describe: 'the webhook to be removed',
  });
  expect(await rowsOf('webhook_secrets', 'webhook_id', deleted.id)).toBe(0);
  expect(await rowsOf('webhook_listeners', 'id', listener)).toBe(0);
  expect(await rowsOf('webhook_listener_events', 'listener_id', listener)).toBe(0);

  const late = await register(service_id);
  await pool().query('UPDATE event_store.deleted_owners SET due_at = now()');
  await world.service.app.get(DeletedServiceData, { strict: false }).run(new AbortController());
  for (const { id } of [deleted, late]) {
    expect(await rowsOf('webhooks', 'id', id)).toBe(0);
    expect(await rowsOf('deliveries', 'webhook_id', id)).toBe(0);
  }
  const { rows } = await pool().query('SELECT DISTINCT type FROM event_store.events WHERE data::text LIKE $1', [
    `%${service_id}%`,
  ]);
  expect(rows).toEqual([{ type: 'webhook-dispatch.webhook-removed.v1' }]);
  expect(await rowsOf('webhooks', 'id', kept.id)).toBe(1);
  expect(await rowsOf('deliveries', 'webhook_id', kept.id)).toBe(1);
});
