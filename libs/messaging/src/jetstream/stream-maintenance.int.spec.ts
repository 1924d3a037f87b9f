import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AckPolicy, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream';
import { eventsOf, streamNameOf } from '@postern/contracts';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { connectNats, type NatsLink } from '../connection.js';
import { JetStreamPublisher, suitableManager } from './jetstream-publisher.js';

const happened = eventsOf('email-send')('happened.v1', z.object({ padding: z.string() }));
const eventOf = (padding: string) => ({
  id: uuidv7(),
  type: happened.type,
  streamId: 'stream',
  version: 1,
  occurredAt: new Date(),
  data: { padding },
  metadata: {},
});
const DURABLE = 'reader';
const ACK_WAIT_MS = 1_000;

describe.each(['2.9', '2.12'] as const)(
  'Removing events that all consumers have acknowledged from a stream of nats-server %s',
  version => {
    let nats: TestNats;
    let link: NatsLink;
    let jsm: JetStreamManager;
    let publisher: JetStreamPublisher;
    const stream = streamNameOf('email-send');

    beforeEach(async () => {
      nats = await startNats({ version });
      link = await connectNats({ servers: nats.url, name: 'maintenance' });
      jsm = await suitableManager(link);
      publisher = new JetStreamPublisher(link, {
        service: 'email-send',
        contracts: [happened],
        maxBytes: 64 * 1024,
      });
    });
    afterEach(async () => {
      await link.close();
      await nats.stop();
    });

    const publish = (count: number) =>
      publisher.publish(Array.from({ length: count }, () => eventOf('x'.repeat(1_000))));

    const take = async (atMost: number, acknowledges: (seq: number) => boolean): Promise<number[]> => {
      const consumer = await jsm.jetstream().consumers.get(stream, DURABLE);
      const taken: number[] = [];
      for await (const message of await consumer.fetch({ max_messages: atMost, expires: 1_000 })) {
        taken.push(message.seq);
        if (acknowledges(message.seq)) await message.ackAck();
      }
      return taken;
    };

    it('keeps events that were delivered and not acknowledged, and redelivers them', async () => {
      await publish(20);
      await jsm.consumers.add(stream, {
        durable_name: DURABLE,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: ACK_WAIT_MS * 1_000_000,
      });
      await take(20, seq => seq !== 11 && seq !== 12);
      // More than fits, so that space must be freed.
      await publish(45);
      expect((await jsm.streams.info(stream)).state.first_seq).toBe(11);

      const again: number[] = [];
      await waitFor(
        async () => {
          again.push(...(await take(60, () => true)));
          return again.includes(11) && again.includes(12);
        },
        { timeoutMs: 10_000, describe: 'the events that nobody acknowledged' },
      );
    });

    it('removes events from a full stream without a consumer only if that is configured', async () => {
      await publish(40);
      const full = await publish(40);
      expect(full.blocked).toMatchObject({ condition: 'full' });

      const unconsumed = new JetStreamPublisher(link, {
        service: 'email-send',
        contracts: [happened],
        maxBytes: 64 * 1024,
        removeUnconsumed: true,
      });
      const { blocked, lastSequence } = await unconsumed.publish([eventOf('x'.repeat(1_000))]);
      expect(blocked).toBeUndefined();
      expect((await jsm.streams.info(stream)).state).toMatchObject({ messages: 1, last_seq: lastSequence });
    });
  },
);
