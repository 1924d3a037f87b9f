import { describe, expect, it } from '@jest/globals';
import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { waitFor } from '@postern/testing';
import { counted, EventDelivery, LOST, numbers, STREAM } from './testing/event-delivery-fixture.js';

describe.each(['2.9', '2.12'] as const)('On its way over nats-server %s, an event', version => {
  const delivery = new EventDelivery(version);

  it('waits in the log while the stream is full, and is handled once and in order after the consumer returns', async () => {
    const blockages: string[] = [];
    await delivery.startRelay(
      { maxBytes: 128 * 1024 },
      {
        onBlocked: ({ condition, reason }) => blockages.push(`${condition}: ${reason}`),
        onUnblocked: () => blockages.push('unblocked'),
      },
    );
    const consumer = await delivery.startConsumer();
    await delivery.append(1, 10);
    await delivery.takenAll(10);
    await consumer.stop();
    // About 1.5 MB, twelve times the size of the stream.
    await delivery.append(11, 2_000);
    await waitFor(async () => (await delivery.relay?.status())?.blockage?.condition === 'full', {
      describe: 'a full stream',
    });
    expect((await delivery.streamInfo()).state.first_seq).toBeLessThanOrEqual(11);
    await delivery.startConsumer();
    await delivery.takenAll(2_000);
    expect([...delivery.taken.values()]).toEqual(numbers(1, 2_000));
    await waitFor(async () => (await delivery.relay?.status())?.blockage === undefined, {
      describe: 'the blockage to end',
    });
    await waitFor(async () => (await delivery.relay?.status())?.lag === 0, { describe: 'no lag' });
    expect(blockages).toEqual([
      `full: the stream ${STREAM} is full, and the consumer delivery-tracking-counter has not taken its events`,
      'unblocked',
    ]);
    expect(delivery.lines).not.toContain(LOST);
  });

  it('is removed from the stream only when it is old and all consumers have acknowledged it', async () => {
    await delivery.startRelay({ maxAgeMs: 100 });
    const consumer = await delivery.startConsumer();
    await delivery.append(1, 10);
    await delivery.takenAll(10);
    await consumer.stop();
    await delivery.append(11, 15);
    await waitFor(async () => (await delivery.streamInfo()).state.first_seq === 11, {
      describe: 'old events to be removed',
    });
    expect((await delivery.streamInfo()).state.messages).toBe(5);
    await delivery.startConsumer();
    await delivery.takenAll(15);
    await waitFor(async () => (await delivery.streamInfo()).state.messages === 0, {
      describe: 'the others to be removed',
    });
    expect(delivery.lines).not.toContain(LOST);
    await delivery.gapsFilled();
  });

  it('stays in a stream of an older release, which then removes no events by itself', async () => {
    const jsm = await delivery.manager();
    await jsm.streams.add({
      name: STREAM,
      subjects: ['postern.events.email-send.>'],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_bytes: 1024 ** 3,
      max_age: 7 * 24 * 3_600_000 * 1_000_000,
      duplicate_window: 120_000 * 1_000_000,
      num_replicas: 1,
    });
    for (const n of numbers(1, 5)) await jsm.jetstream().publish(counted.subject, `{"n":${n}}`);
    await delivery.startRelay();
    await delivery.append(6, 6);
    await waitFor(async () => (await delivery.streamInfo()).state.messages === 6, { describe: 'the sixth event' });
    const { config, state } = await delivery.streamInfo();
    expect(config).toMatchObject({ discard: DiscardPolicy.New, max_age: 0, max_bytes: 1024 ** 3 });
    expect(state).toMatchObject({ first_seq: 1, messages: 6 });
  });

  it('is delivered again if the stream loses it while its consumer runs', async () => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    delivery.gate = promise;
    await delivery.startOperations(await delivery.startRelay());
    await delivery.startConsumer();
    await delivery.append(1, 6_000);
    await waitFor(async () => (await delivery.streamInfo()).state.last_seq === 6_000, {
      describe: 'all to be published',
    });
    const jsm = await delivery.manager();
    await waitFor(
      async () => (await jsm.consumers.info(STREAM, 'delivery-tracking-counter')).delivered.stream_seq > 0,
      { describe: 'deliveries' },
    );
    const { delivered } = await jsm.consumers.info(STREAM, 'delivery-tracking-counter');
    expect(delivered.stream_seq).toBeLessThan(5_000);
    await jsm.streams.purge(STREAM, { seq: 5_501 });
    open();
    await delivery.takenAll(6_000);
    expect(new Set(delivery.taken.values()).size).toBe(6_000);
    expect(delivery.lines.filter(line => line === LOST)).toHaveLength(1);
    await delivery.gapsFilled();
  });

  it('is delivered again if the stream loses it while its consumer is down', async () => {
    const gaps: object[] = [];
    await delivery.startRelay({}, { onGap: gap => gaps.push(gap) });
    const consumer = await delivery.startConsumer();
    await delivery.append(1, 100);
    await delivery.takenAll(100);
    await consumer.stop();
    await delivery.append(101, 500);
    await waitFor(async () => (await delivery.streamInfo()).state.last_seq === 500, {
      describe: 'all to be published',
    });
    const isWatched = async () =>
      (await delivery.pool.query('SELECT FROM event_store.outbox WHERE broker_first = 1')).rowCount === 1;
    await waitFor(isWatched, { describe: 'the relay to know the start of the stream' });
    await (await delivery.manager()).streams.purge(STREAM, { seq: 401 });
    await delivery.startConsumer();
    await delivery.takenAll(500);
    expect(gaps).toMatchObject([{ last: 400 }]);
  });

  it('is delivered again if NATS loses its storage', async () => {
    await delivery.startOperations(await delivery.startRelay());
    await delivery.startConsumer();
    await delivery.append(1, 500);
    await delivery.takenAll(500);
    await delivery.nats.kill();
    await delivery.append(501, 3_000);
    await delivery.nats.restart({ wipe: true });
    await delivery.takenAll(3_000);
    expect(new Set(delivery.taken.values()).size).toBe(3_000);
    expect(delivery.lines).not.toContain(LOST);
  });
});
