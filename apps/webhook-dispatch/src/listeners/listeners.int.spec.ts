import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createWebhook,
  createWebhookListener,
  listWebhookListeners,
  MAX_LISTENER_EVENTS,
  MAX_LISTENERS,
  readWebhookListener,
  removeWebhookListener,
} from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database, type PersonalErasure } from '@postern/service-host';
import { DeliveryErasure } from '../operations/delivery-erasure.js';
import { DispatchFixture } from '../testing/dispatch-fixture.js';

const world = await DispatchFixture.start();
afterAll(() => world.stop());

const listen = async (service_id: string = randomUUID()) => {
  const { id: listener_id } = await world.client.request(createWebhookListener, { service_id });
  return { service_id, listener_id };
};

const read = (listener: { service_id: string; listener_id: string }, after = 0, wait_s = 10) =>
  world.client.request(readWebhookListener, { ...listener, after, wait_s });

const emailIds = ({ events }: { events: readonly { body: string }[] }) =>
  events.map(({ body }) => (JSON.parse(body) as { email_id: string }).email_id);

describe('a listener', () => {
  it('reads the body that a webhook receives, byte for byte', async () => {
    const listener = await listen();
    const url = `${world.receiver.url}/${randomUUID()}`;
    await world.client.request(createWebhook, {
      service_id: listener.service_id,
      workspace_id: randomUUID(),
      url,
      events: ['bounced'],
    });
    const reading = read(listener);
    const call = await world.requestFor(await world.publish('bounced', listener.service_id));

    expect(await reading).toEqual({ events: [{ number: 1, body: call.body.toString('utf8') }] });
  });

  it('reads events again until they are acknowledged, and then only later ones', async () => {
    const listener = await listen();
    const first = await world.publish('delivered', listener.service_id);
    expect(emailIds(await read(listener))).toEqual([first]);
    expect(emailIds(await read(listener))).toEqual([first]);
    const second = await world.publish('opened', listener.service_id);

    const { events } = await read(listener, 1);
    expect(emailIds({ events })).toEqual([second]);
    expect(events[0]?.number).toBe(2);
    expect(await read(listener, 2, 0)).toEqual({ events: [] });
  });

  it('reads every event once when many arrive at the same time', async () => {
    const listener = await listen();
    const published = await Promise.all(
      Array.from({ length: 250 }, () => world.publish('opened', listener.service_id)),
    );
    const found: string[] = [];
    for (let after = 0; found.length < published.length; ) {
      const { events } = await read(listener, after);
      expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => after + 1 + index));
      expect(events.length).toBeLessThanOrEqual(100);
      found.push(...emailIds({ events }));
      after = events.at(-1)?.number ?? after;
    }
    expect(found.sort()).toEqual(published.sort());
  });

  it('keeps 1000 unread events, and the sequence numbers show how many were dropped', async () => {
    const listener = await listen();
    for (let batch = 0; batch < 11; batch++)
      await Promise.all(Array.from({ length: 100 }, () => world.publish('opened', listener.service_id)));
    const other = await listen();
    await world.publish('delivered', other.service_id);
    await read(other);
    const readAll = async (after: number): Promise<readonly number[]> => {
      const numbers = (await read(listener, after, 0)).events.map(({ number }) => number);
      return numbers.length === 0 ? [] : [...numbers, ...(await readAll(numbers.at(-1)!))];
    };
    const kept = Array.from({ length: MAX_LISTENER_EVENTS }, (_, index) => index + 1);
    expect(await readAll(0)).toEqual(kept);

    await world.publish('delivered', listener.service_id);
    const { events } = await read(listener, MAX_LISTENER_EVENTS);
    expect(events.map(({ number }) => number)).toEqual([1_101]);
  }, 30_000);

  it('belongs to one email service', async () => {
    const listener = await listen();
    await world.publish('delivered', randomUUID());
    const other = { ...listener, service_id: randomUUID() };

    await expect(read(other)).rejects.toMatchObject({ code: 'listener_not_found' });
    await expect(world.client.request(removeWebhookListener, other)).rejects.toMatchObject({
      code: 'listener_not_found',
    });
    expect(await read(listener, 0, 1)).toEqual({ events: [] });
  });

  it('loses its unread events about a recipient who is erased', async () => {
    const listener = await listen();
    await world.publish('delivered', listener.service_id);
    expect((await read(listener)).events).toHaveLength(1);
    const erasure = { traces: ['ada@customers.test'], replacement: 'erased', redact: () => undefined };
    const { pool } = world.service.app.get(Database, { strict: false });
    const { erased } = await inTransaction(pool, tx =>
      new DeliveryErasure().eraseRows(erasure as unknown as PersonalErasure, undefined, tx),
    );

    expect(erased['webhook_listener_events']).toBeGreaterThanOrEqual(1);
    expect(await read(listener, 0, 0)).toEqual({ events: [] });
  });

  it('ends when it is deleted', async () => {
    const listener = await listen();
    await world.client.request(removeWebhookListener, listener);

    expect(await world.client.request(listWebhookListeners, listener)).toEqual([]);
    await expect(read(listener)).rejects.toMatchObject({ code: 'listener_not_found' });
  });
});

it(`An email service has at most ${MAX_LISTENERS} listeners, however many are created at once.`, async () => {
  const service_id = randomUUID();
  const created = await Promise.allSettled(Array.from({ length: MAX_LISTENERS + 5 }, () => listen(service_id)));

  const refused = created.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(refused).toEqual(Array(5).fill('too_many_listeners'));
  expect(await world.client.request(listWebhookListeners, { service_id })).toHaveLength(MAX_LISTENERS);
});
