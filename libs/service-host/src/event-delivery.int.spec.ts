import { expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { CONSUMER, counted, EventDelivery, ignored, numbers } from './testing/event-delivery-fixture.js';

const delivery = new EventDelivery();
const position = async () =>
  (await delivery.own.query('SELECT txid::text, pos::text, event_id FROM event_store.followers')).rows[0];

it('A consumer handles every event once and in order', async () => {
  await delivery.startProducer();
  await delivery.startConsumer();
  await delivery.append(1, 3_000);
  await delivery.takenAll(3_000);
  expect(delivery.taken).toEqual(numbers(1, 3_000));
});

it('A consumer that starts before the service whose events it reads waits for it, and says so once', async () => {
  await delivery.startConsumer();
  await delivery.append(1, 5);
  await waitFor(() => delivery.lines.includes('A consumer cannot read events; it will retry'));
  await delivery.startProducer();
  await delivery.takenAll(5);
  await waitFor(() => delivery.lines.includes('A consumer reads events again'));
  expect(delivery.lines.filter(line => line.startsWith('A consumer cannot read'))).toHaveLength(1);
});

it('An event whose wake-up is lost is read a second later', async () => {
  await delivery.startProducer();
  await delivery.startConsumer();
  await delivery.append(1, 1);
  await delivery.takenAll(1);
  // As another process would: nothing tells the consumer.
  await delivery.source.query(
    `INSERT INTO event_store.events (stream_id, version, id, type, data, metadata, occurred_at)
     VALUES ('other', 1, gen_random_uuid(), $1, '{"n": 2, "padding": ""}', '{"correlationId": "c"}', now())`,
    [counted.type],
  );
  await delivery.takenAll(2);
});

it('Events of other types are passed over, and the position is saved', async () => {
  await delivery.startProducer();
  await delivery.startConsumer();
  for (let batch = 0; batch < 8; batch++)
    await delivery.appendEvents(numbers(1, 100).map(() => ({ type: ignored.type, data: {} })));
  const { rows } = await delivery.source.query(
    'SELECT id FROM event_store.events ORDER BY events.txid DESC, events.pos DESC LIMIT 1',
  );
  await waitFor(async () => (await position())?.event_id === rows[0].id, {
    describe: 'the position of the last event',
  });
  expect(delivery.taken).toEqual([]);
});

it('A page is bounded in bytes, and an event that is larger than a page arrives', async () => {
  await delivery.startProducer();
  await delivery.append(1, 40, 'x'.repeat(100_000));
  await delivery.append(41, 41, 'x'.repeat(900_000));
  const batches: number[] = [];
  delivery.onBatch = taken => void batches.push(taken.length);
  await delivery.startConsumer();
  await delivery.takenAll(41);
  expect(delivery.taken).toEqual(numbers(1, 41));
  expect(Math.max(...batches)).toBeLessThan(7);
});

it('A consumer that restarts continues after the last event that it has handled', async () => {
  await delivery.startProducer();
  const first = await delivery.startConsumer();
  await delivery.append(1, 500);
  await delivery.takenAll(500);
  await first.stop();
  await delivery.append(501, 1_000);
  await delivery.startConsumer();
  await delivery.takenAll(1_000);
  expect(delivery.taken).toEqual(numbers(1, 1_000));
});

it('Two replicas handle each event once, and one continues when the other stops', async () => {
  await delivery.startProducer();
  const first = await delivery.startConsumer();
  await delivery.startConsumer();
  await delivery.append(1, 500);
  await delivery.takenAll(500);
  await first.stop();
  await delivery.append(501, 1_000);
  await delivery.takenAll(1_000);
  expect(delivery.taken).toEqual(numbers(1, 1_000));
});

it('A consumer that is away delays no other, and its lag is reported by its age', async () => {
  const { published } = await delivery.startProducer();
  const consumer = await delivery.startConsumer();
  await delivery.append(1, 10);
  await delivery.takenAll(10);
  await waitFor(async () => {
    const { readers } = await delivery.operations(delivery.source, published).readers();
    return readers.some(reader => reader.consumer === CONSUMER && reader.lag === 0);
  });
  await consumer.stop();
  await delivery.append(11, 20);
  await delivery.source.query(`BEGIN; SET LOCAL event_store.erasing = 'on'; ALTER TABLE event_store.events DISABLE TRIGGER ALL;
    UPDATE event_store.events SET occurred_at = now() - interval '90 seconds';
    ALTER TABLE event_store.events ENABLE TRIGGER ALL; COMMIT`);
  const { findings } = await delivery.operations(delivery.source, published).diagnose();
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: 'events read',
      verdict: 'bad',
      found: expect.stringMatching(/^delivery-tracking-counter is 9\d seconds behind by 10 events/),
    }),
  );
});

it('Nothing is lost or repeated when NATS is killed and loses its storage', async () => {
  await delivery.startProducer();
  await delivery.startConsumer();
  await delivery.append(1, 500);
  await delivery.takenAll(500);
  await delivery.nats.kill();
  await delivery.append(501, 1_000);
  await delivery.nats.restart({ wipe: true });
  await delivery.takenAll(1_000);
  expect(delivery.taken).toEqual(numbers(1, 1_000));
});

it('Nothing is lost or repeated when the database ends all sessions in the middle of a page', async () => {
  await delivery.startProducer();
  await delivery.append(1, 2_000);
  let cuts = 0;
  delivery.onBatch = ([first = 0]) => {
    if (first < cuts * 300) return;
    cuts++;
    void delivery.source.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'own'`,
    );
  };
  await delivery.startConsumer();
  const all = async () => (await delivery.effects().catch(() => [])).length >= 2_000;
  await waitFor(all, { timeoutMs: 20_000, describe: '2,000 effects' });
  expect(cuts).toBeGreaterThan(3);
  expect(await delivery.effects()).toEqual(numbers(1, 2_000));
});

it('An effect, a set-aside event and the position are written together or not at all', async () => {
  await delivery.startProducer();
  await delivery.append(1, 100);
  delivery.onBatch = taken => {
    if (taken.includes(50)) throw new Error('cannot count 50');
  };
  await delivery.startConsumer();
  await delivery.takenAll(99);
  expect(await delivery.effects()).toEqual(numbers(1, 100).filter(n => n !== 50));
  delivery.onBatch = () => undefined;
  await delivery.takenAll(100);
  const { rows } = await delivery.own.query('SELECT FROM event_store.set_aside_events');
  expect(rows).toEqual([]);
  expect((await delivery.effects()).toSorted((a, b) => a - b)).toEqual(numbers(1, 100));
});
