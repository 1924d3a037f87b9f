import { describe, expect, it } from '@jest/globals';
import { DiscardPolicy } from '@nats-io/jetstream';
import { waitFor } from '@postern/testing';
import { outboxFindings } from '../operations/outbox-findings.js';
import { EventDelivery, numbers, STREAM } from '../testing/event-delivery-fixture.js';

const OWN = 'postern.events.email-send.>';
const REPUBLISH = { src: OWN, dest: 'elsewhere.>' };

describe.each(['2.9', '2.12'] as const)('With nats-server %s, a service whose stream has foreign settings', version => {
  const delivery = new EventDelivery(version);
  const blockage = async () => (await delivery.relay?.status())?.blockage;
  const blocked = () => waitFor(async () => (await blockage())?.condition === 'wrong_settings', { timeoutMs: 15_000 });

  it('publishes nothing, logs the reason, and publishes all events once the stream is deleted', async () => {
    const jsm = await delivery.manager();
    await jsm.streams.add({ name: STREAM, subjects: [OWN], discard: DiscardPolicy.New, republish: REPUBLISH });
    const logged: string[] = [];
    await delivery.startRelay(
      {},
      {
        onBlocked: ({ condition }) => logged.push(condition),
        onUnblocked: ({ condition }) => logged.push(`end of ${condition}`),
      },
    );
    await delivery.startConsumer();
    await delivery.append(1, 10);
    await blocked();
    expect((await blockage())?.reason).toBe(
      `the stream ${STREAM} has settings that no service makes: it sends what it stores to elsewhere.>`,
    );
    expect(outboxFindings(await blockage())).toMatchObject([
      { verdict: 'bad', advice: expect.stringContaining('nats stream rm') },
    ]);
    expect((await delivery.streamInfo()).state.messages).toBe(0);

    await jsm.streams.delete(STREAM);
    await delivery.takenAll(10);
    expect([...delivery.taken.values()]).toEqual(numbers(1, 10));
    expect(logged).toEqual(['wrong_settings', 'end of wrong_settings']);
  }, 60_000);

  it('detects a change of the settings while it runs, even without new events, and detects its correction', async () => {
    const jsm = await delivery.manager();
    await delivery.startRelay();
    await delivery.startConsumer();
    await delivery.append(1, 5);
    await delivery.takenAll(5);
    const { config } = await jsm.streams.info(STREAM);
    await jsm.streams.update(STREAM, { ...config, no_ack: true });
    await blocked();
    await delivery.append(6, 10);
    await jsm.streams.update(STREAM, { ...config, no_ack: false });
    await delivery.takenAll(10);
    await waitFor(async () => (await blockage()) === undefined, { describe: 'the end of the blockage' });
    expect(delivery.taken.size).toBe(10);
  }, 60_000);

  it('corrects the settings that it may change', async () => {
    const jsm = await delivery.manager();
    await delivery.startRelay();
    await delivery.append(1, 1);
    await waitFor(async () => (await delivery.streamInfo()).state.messages === 1);
    await jsm.streams.update(STREAM, { subjects: [OWN, 'postern.requests.>'], max_age: 3_600_000_000_000 });
    await waitFor(async () => (await delivery.streamInfo()).config.subjects.length === 1, { timeoutMs: 15_000 });
    expect((await delivery.streamInfo()).config.max_age).toBe(0);
    await delivery.append(2, 2);
    await waitFor(async () => (await delivery.streamInfo()).state.messages === 2);
  }, 60_000);
});
