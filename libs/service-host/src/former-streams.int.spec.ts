import { expect, it } from '@jest/globals';
import { AckPolicy, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connectNats, type NatsLink } from '@postern/messaging';
import { waitFor } from '@postern/testing';
import { FormerStream } from './event-sourcing/former-stream.js';
import { CONSUMER, EventDelivery, numbers } from './testing/event-delivery-fixture.js';

const STREAM = 'postern-email-send';
const delivery = new EventDelivery();

const withLink = async <Result>(work: (link: NatsLink) => Promise<Result>): Promise<Result> => {
  const link = await connectNats({ servers: delivery.nats.url, name: 'release 0.1' });
  try {
    return await work(link);
  } finally {
    await link.close();
  }
};

/** What release 0.1 leaves: events in the log, `published` of them in the stream, and `taken` of these acknowledged. */
const leave = ({ published, taken }: { published: number; taken: number }) =>
  withLink(async ({ nc }) => {
    await delivery.append(1, 300, '');
    const { rows } = await delivery.source.query(
      `SELECT id, type, stream_id, version, to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS occurred_at,
         data, '{"correlation_id": "c-1"}'::jsonb AS metadata, txid::text, pos::text
       FROM event_store.events ORDER BY events.txid, events.pos LIMIT $1`,
      [published],
    );
    const jsm = await jetstreamManager(nc);
    await jsm.streams.add({ name: STREAM, subjects: ['postern.events.email-send.>'], storage: StorageType.File });
    await jsm.consumers.add(STREAM, { durable_name: CONSUMER, ack_policy: AckPolicy.Explicit });
    for (const row of rows) await jsm.jetstream().publish('postern.events.email-send.counted.v1', JSON.stringify(row));
    const consumer = await jsm.jetstream().consumers.get(STREAM, CONSUMER);
    const messages = await consumer.fetch({ max_messages: taken, expires: 2_000 });
    for await (const message of messages) await message.ackAck();
    const last = rows.at(-1);
    await delivery.source.query('UPDATE event_store.logs SET published_txid = $1, published_pos = $2', [
      last.txid,
      last.pos,
    ]);
  });

it('A consumer continues where its JetStream consumer stopped', async () => {
  await leave({ published: 250, taken: 100 });
  await delivery.startProducer();
  await delivery.startConsumer();
  await waitFor(() => delivery.taken.includes(300));
  expect(delivery.taken).toEqual(numbers(101, 300));
});

it('A consumer continues with the first message that is left when its last one was removed', async () => {
  await leave({ published: 250, taken: 100 });
  await withLink(async ({ nc }) => (await jetstreamManager(nc)).streams.purge(STREAM, { seq: 101 }));
  await delivery.startProducer();
  await delivery.startConsumer();
  await waitFor(() => delivery.taken.includes(300));
  expect(delivery.taken).toEqual(numbers(101, 300));
});

it('A consumer of an empty stream continues with the events that were never published', async () => {
  await leave({ published: 250, taken: 250 });
  await withLink(async ({ nc }) => (await jetstreamManager(nc)).streams.purge(STREAM));
  await delivery.startProducer();
  await delivery.startConsumer();
  await waitFor(() => delivery.taken.includes(300));
  expect(delivery.taken).toEqual(numbers(251, 300));
});

it('The stream is deleted when every consumer follows the log', async () => {
  await leave({ published: 10, taken: 10 });
  const { published } = await delivery.startProducer();
  const isThere = () =>
    withLink(async ({ nc }) => {
      const names = await (await jetstreamManager(nc)).streams.names().next();
      return names.includes(STREAM);
    });
  await withLink(async link => {
    const former = new FormerStream('email-send', { link, published, log: delivery.log as never });
    await delivery.source.query(
      `INSERT INTO event_store.readers (reader, epoch, txid, pos) SELECT 'other', epoch, '0', 0 FROM event_store.logs`,
    );
    await former.deleteUnlessRead();
    expect(await isThere()).toBe(false);
  });
});
