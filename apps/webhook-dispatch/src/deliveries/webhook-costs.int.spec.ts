import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createWebhook } from '@postern/contracts';
import { NatsLink } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { type DatabaseCosts, databaseCosts, waitFor } from '@postern/testing';
import pg from 'pg';
import { DispatchFixture } from '../testing/dispatch-fixture.js';

const WEBHOOKS = 4;
const EVENTS = 256;
const DELIVERIES = WEBHOOKS * EVENTS;

let world: DispatchFixture;
let costs: DatabaseCosts;
/** Statements that write deliveries, and messages that webhook-dispatch sent and received. */
let writes = 0;
let messages = 0;

const messagesOf = (link: NatsLink): number => {
  const { inMsgs, outMsgs } = link.nc.stats();
  return inMsgs + outMsgs;
};

const COUNTED = `
  SELECT FROM pg_stat_user_tables WHERE relname = 'deliveries' AND n_tup_ins = $1 AND n_tup_upd = $1`;

beforeAll(async () => {
  world = await DispatchFixture.start({ ofItsOwn: true });
  const service_id = randomUUID();
  for (let n = 0; n < WEBHOOKS; n++)
    await world.client.request(createWebhook, {
      service_id,
      workspace_id: service_id,
      url: `${world.receiver.url}/${n}`,
      events: ['delivered'],
    });
  const { app } = world.service;
  const { pool } = app.get(Database, { strict: false });
  const link = app.get(NatsLink, { strict: false });
  const accepted = async () => {
    const { rows } = await pool.query("SELECT count(*)::int AS count FROM deliveries WHERE state = 'accepted'");
    return rows[0].count;
  };
  // The first event creates the position of the consumer.
  await world.publish('delivered', service_id);
  await waitFor(async () => (await accepted()) === WEBHOOKS);
  // PostgreSQL counts the rows of a session a little later.
  await waitFor(async () => (await pool.query(COUNTED, [WEBHOOKS])).rowCount === 1);
  costs = await databaseCosts(world.environment['POSTERN_DATABASE_URL'] ?? '', pool, async () => {
    const before = messagesOf(link);
    const spy = jest.spyOn(pg.Client.prototype, 'query');
    await world.publishAll('delivered', service_id, EVENTS);
    await waitFor(async () => (await accepted()) === WEBHOOKS + DELIVERIES, { timeoutMs: 30_000 });
    const texts = spy.mock.calls.map(([query]) => (query as { text?: string } | undefined)?.text ?? '');
    spy.mockRestore();
    writes = texts.filter(text => /INSERT INTO deliveries|UPDATE deliveries/.test(text)).length;
    messages = messagesOf(link) - before;
    await world.service.stop();
  });
}, 90_000);
afterAll(() => world?.stop());

const TABLES = ['deliveries', 'attempts', 'failing_webhooks'];

/** Without what depends on the time and on the number of pages: leases and positions. */
const ofDeliveries = (rows: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(rows).filter(([table]) => TABLES.includes(table)));

describe('The cost of a webhook delivery that is accepted at once', () => {
  it('is one row, written when the event is queued and when its attempt is recorded', () => {
    expect(ofDeliveries(costs.inserted)).toEqual({ deliveries: DELIVERIES });
    expect(ofDeliveries(costs.updated)).toEqual({ deliveries: DELIVERIES });
    expect(ofDeliveries(costs.deleted)).toEqual({});
  });

  it('is a part of a statement', () => {
    expect(writes).toBeLessThan(DELIVERIES / 4);
  });

  it('is at most 1.9 KB of write-ahead log and 1.5 KB on disk', () => {
    expect(costs.walBytes / DELIVERIES).toBeLessThan(1_900);
    expect(costs.bytes / DELIVERIES).toBeLessThan(1_500);
  });

  it('is a part of a message over NATS', () => {
    expect(messages).toBeLessThan(DELIVERIES / 10);
  });
});
