import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventFeed, eventsOf } from '@postern/contracts';
import {
  type EventTransaction,
  FollowerPositions,
  migrateEventStore,
  PostgresSetAsideEvents,
  ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import { connectNats, type NatsLink, PosternServer, silentLog } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { z } from 'zod';
import { type TestEvent, TestEventSource } from '../testing/test-event-source.js';
import type { PersonalData } from './ports.js';
import { ServiceOperations } from './service-operations.js';

const mentioned = eventsOf('email-send')('mentioned.v1', z.object({ n: z.int(), to: z.string() }));
const CONSUMER = 'delivery-tracking-mentions';

let taken: number[];
let poison: Set<number>;

const personalData: PersonalData = {
  isInEvents: false,
  eraseRowsOf: async () => ({ erased: {}, unfinished: 0 }),
  eraseRows: async () => ({ erased: {} }),
  describeUnfinished: () => '',
  kept: async () => [],
};

describe('An event that a consumer cannot handle', () => {
  let nats: TestNats;
  let postgres: TestPostgres;
  let pool: pg.Pool;
  let link: NatsLink;
  let operations: ServiceOperations;
  let source: TestEventSource;
  let stopConsumer: () => Promise<void>;

  const startConsumer = async () => {
    const server = new PosternServer({
      link,
      service: 'delivery-tracking',
      log: silentLog,
      events: { positions: new FollowerPositions(pool), setAside: new PostgresSetAsideEvents(pool) },
      eventRetries: { batchMs: [5], outageMs: 100, poisonMs: [300] },
    });
    server.handleEvents(
      { contracts: [mentioned], consumer: 'mentions', inTransaction: true },
      (batch, { afterCommit }: EventTransaction) => {
        const bad = batch.find(({ data }) => poison.has(data.n));
        if (bad) throw new Error(`cannot take ${bad.data.n} for ${bad.data.to}`);
        afterCommit(() => void taken.push(...batch.map(({ data }) => data.n)));
      },
    );
    server.listen();
    return () => server.close();
  };

  beforeEach(async () => {
    taken = [];
    poison = new Set();
    [nats, postgres] = await Promise.all([startNats(), startPostgres({ durable: false })]);
    pool = new pg.Pool({ connectionString: await postgres.createDatabase(), max: 4 });
    // PostgreSQL may stop before the pool has closed its last connection.
    pool.on('error', () => undefined);
    await migrateEventStore(pool);
    link = await connectNats({ servers: nats.url, name: 'set-aside' });
    operations = new ServiceOperations({
      database: { pool } as never,
      projections: new ProjectionRunner({ store: { pool } as never, projections: [] }),
      log: silentLog as never,
      personal: personalData,
    });
    source = await TestEventSource.start({
      service: 'email-send',
      contracts: [mentioned],
      feeds: [eventFeed('email-send', 'delivery-tracking', [mentioned.type])],
      link,
      databaseUrl: await postgres.createDatabase(),
    });
    stopConsumer = await startConsumer();
  }, 60_000);

  afterEach(async () => {
    await stopConsumer();
    await source.stop();
    await link.close();
    await pool.end();
    await Promise.all([nats.stop(), postgres.stop()]);
  });

  const publish = async (...data: object[]): Promise<readonly TestEvent[]> => {
    const events = data.map(item => ({ id: randomUUID(), type: mentioned.type, data: item }));
    await source.publish(events);
    return events;
  };
  const mention = (n: number) => ({ n, to: 'ada@example.com' });
  const setAside = async () => (await operations.setAsideEvents(10)).events;
  it('delays no other, is listed with its error, and is handled once it no longer fails', async () => {
    poison.add(2);
    const [, event] = await publish(mention(1), mention(2), mention(3));
    await waitFor(async () => (await setAside()).some(({ failures }) => failures > 1), {
      describe: 'a second failure',
    });
    expect(taken).toEqual([1, 3]);
    expect(await setAside()).toMatchObject([
      {
        consumer: CONSUMER,
        event_id: event?.id,
        type: mentioned.type,
        last_error: 'cannot take 2 for ada@example.com',
      },
    ]);
    poison.clear();
    await waitFor(async () => (await setAside()).length === 0, { describe: 'nothing set aside' });
    expect(taken).toEqual([1, 3, 2]);
  });

  it('is set aside if it does not match its contract', async () => {
    await publish({ n: 'many', to: '' }, mention(2));
    await waitFor(async () => (await setAside()).length === 1, { describe: 'one set aside' });
    expect(taken).toEqual([2]);
  });

  it('survives the process that set it aside', async () => {
    poison.add(2);
    await publish(mention(1), mention(2));
    await waitFor(async () => (await setAside()).length === 1, { describe: 'one set aside' });
    await stopConsumer();
    poison.clear();
    stopConsumer = await startConsumer();
    await waitFor(() => taken.includes(2), { describe: 'the event to be handled' });
  });

  it('is retried immediately or discarded by an operator, without effect on other events', async () => {
    poison.add(2).add(4);
    const [, second, , fourth] = await publish(mention(1), mention(2), mention(3), mention(4));
    await waitFor(async () => (await setAside()).length === 2, { describe: 'two set aside' });
    await pool.query(`UPDATE event_store.set_aside_events SET retry_at = now() + interval '1 day'`);
    expect(await operations.discardSetAside(second?.id as string)).toEqual({ consumers: [CONSUMER] });
    poison.clear();
    await operations.retrySetAside(fourth?.id as string);
    await waitFor(async () => (await setAside()).length === 0, { describe: 'nothing set aside' });
    expect(taken).toEqual([1, 3, 4]);
    await expect(operations.discardSetAside(second?.id as string)).rejects.toMatchObject({
      code: 'event_not_set_aside',
    });
    await expect(operations.retrySetAside(second?.id as string)).rejects.toMatchObject({ code: 'event_not_set_aside' });
  });

  it('is rewritten if its recipient is erased', async () => {
    poison.add(2);
    await publish(mention(1), mention(2));
    await waitFor(async () => (await setAside()).length === 1, { describe: 'one set aside' });
    await pool.query(`UPDATE event_store.set_aside_events SET retry_at = now() + interval '1 day'`);
    const step = await operations.eraseStep({
      address: 'Ada@example.com',
      replacement: 'x@erased.invalid',
      cursor: null,
    });
    expect(step).toMatchObject({ cursor: null, failure: null, erased: [{ kind: 'set_aside_events', rows: 1 }] });
    const { rows } = await pool.query('SELECT envelope::text || last_error AS text FROM event_store.set_aside_events');
    expect(rows[0].text).not.toContain('ada@');
    expect(rows[0].text).toContain('x@erased.invalid');
  });
});
