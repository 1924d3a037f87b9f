import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DataOf, eventsOf } from '@postern/contracts';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import { z } from 'zod';
import { connectNats, type NatsLink } from './connection.js';
import { currentContext } from './context.js';
import type { EventRetries } from './jetstream/event-processor.js';
import { JetStreamPublisher, type PublishableEvent, suitableManager } from './jetstream/jetstream-publisher.js';
import type { Log } from './log.js';
import { type EventBatch, HandlesEvents } from './server/handlers.js';
import { startTinyService, type TinyService } from './testing/tiny-service.js';

const event = eventsOf('email-send');
const counted = event('counted.v1', z.object({ n: z.int() }));
const unwanted = event('unwanted.v1', z.object({}));

const recorded = (type: string, data: unknown): PublishableEvent => ({
  id: randomUUID(),
  type,
  streamId: 'counter-1',
  version: 1,
  occurredAt: new Date(),
  data,
  metadata: { correlationId: 'c-1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
});
const count = (n: number) => recorded(counted.type, { n } satisfies DataOf<typeof counted>);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const taken: number[] = [];
const correlationIds = new Set<string | undefined>();
const poison = new Set<number>();
let broken = false;
let failures = 0;

class Counter {
  @HandlesEvents([counted], { consumer: 'counter' })
  async count(batch: EventBatch<typeof counted>): Promise<void> {
    correlationIds.add(currentContext()?.correlationId);
    if (broken || batch.some(({ data }) => poison.has(data.n))) {
      failures += 1;
      throw new Error('cannot count');
    }
    taken.push(...batch.map(({ data }) => data.n));
  }
}

const eventRetries: EventRetries = { batchMs: [10, 20], outageMs: 100, poisonMs: [200] };
const reported: string[] = [];
const log: Log = { info() {}, warn() {}, error: (_fields, message) => reported.push(message) };

describe.each(['2.9', '2.12'] as const)('Published events over nats-server %s', version => {
  let nats: TestNats;
  let link: NatsLink;
  let publisher: JetStreamPublisher;
  const services: TinyService[] = [];

  const startCounter = async () => {
    const service = await startTinyService(nats.url, Counter, { service: 'webhook-dispatch', log, eventRetries });
    services.push(service);
    return service;
  };
  const takenAll = (expected: number[]) =>
    waitFor(() => new Set(taken).size === expected.length, {
      timeoutMs: 25_000,
      describe: () => `${expected.length} events to be taken, not ${new Set(taken).size}`,
    });

  beforeEach(async () => {
    taken.length = 0;
    reported.length = 0;
    poison.clear();
    broken = false;
    nats = await startNats({ version });
    link = await connectNats({ servers: nats.url, name: 'publisher' });
    publisher = new JetStreamPublisher(link, { service: 'email-send', contracts: [counted, unwanted] });
  });

  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
    await link.close();
    await nats.stop();
  });

  it('reach a consumer once each, in order and in the context of their cause', async () => {
    await startCounter();
    await publisher.publish(numbers(1, 1_000).map(count));
    await takenAll(numbers(1, 1_000));
    expect(taken).toEqual(numbers(1, 1_000));
    expect([...correlationIds]).toEqual(['c-1']);
  });

  it('reach a consumer that started before the stream existed', async () => {
    await startCounter();
    await expect(publisher.state()).resolves.toBeUndefined();
    await publisher.publish([count(1)]);
    await takenAll([1]);
  });

  it('are stored once even if published repeatedly, and only if they have a contract', async () => {
    const batch = [count(1), recorded('email-send.private.v1', {}), count(2)];
    await expect(publisher.publish(batch)).resolves.toEqual({ lastSequence: 2 });
    await expect(publisher.publish(batch)).resolves.toEqual({ lastSequence: 2 });
    await expect(publisher.state()).resolves.toMatchObject({ lastSequence: 2 });
  });

  it('of unwanted types are skipped', async () => {
    await startCounter();
    await publisher.publish([recorded(unwanted.type, {}), count(1), recorded(unwanted.type, {}), count(2)]);
    await takenAll([1, 2]);
    expect(taken).toEqual([1, 2]);
  });

  it('that cannot be handled do not block others, are reported and delivered again', async () => {
    poison.add(7);
    await startCounter();
    await publisher.publish(numbers(1, 20).map(count));
    await takenAll(numbers(1, 20).filter(n => n !== 7));
    await waitFor(() => reported.includes('An event cannot be handled and is set aside'));
    poison.clear();
    await takenAll(numbers(1, 20));
    expect(taken.filter(n => n === 7)).toEqual([7]);
  });

  it('that do not match their contract are set aside and do not block others', async () => {
    await startCounter();
    await publisher.publish([count(1), recorded(counted.type, { n: 'many' }), count(2)]);
    await takenAll([1, 2]);
    expect(reported).toContain('An event cannot be handled and is set aside');
  });

  it('are not blocked by messages that are not events', async () => {
    await startCounter();
    await publisher.publish([count(1)]);
    for (const message of ['', '{}', 'not JSON', '{"id":1}']) link.nc.publish(counted.subject, message);
    await publisher.publish([count(2)]);
    await takenAll([1, 2]);
    const jsm = await suitableManager(link);
    const unacknowledged = async () => {
      const { num_ack_pending, num_pending } = await jsm.consumers.info(
        'postern-email-send',
        'webhook-dispatch-counter',
      );
      return num_ack_pending + num_pending;
    };
    await waitFor(async () => (await unacknowledged()) === 0);
  });

  it('wait in order while every event fails', async () => {
    broken = true;
    await startCounter();
    await publisher.publish(numbers(1, 5).map(count));
    await waitFor(() => reported.includes('Every event of a batch fails; the batch will be retried'));
    broken = false;
    await takenAll(numbers(1, 5));
    expect(taken).toEqual(numbers(1, 5));
  });

  it('wait in order even if the first of them failed alone', async () => {
    broken = true;
    failures = 0;
    await startCounter();
    await publisher.publish([count(1)]);
    await waitFor(() => failures > eventRetries.batchMs.length);
    await publisher.publish(numbers(2, 5).map(count));
    await waitFor(() => reported.includes('Every event of a batch fails; the batch will be retried'));
    broken = false;
    await takenAll(numbers(1, 5));
    expect(taken).toEqual(numbers(1, 5));
  });

  it('continue after SIGKILL of the server', async () => {
    await startCounter();
    await publisher.publish(numbers(1, 10).map(count));
    await takenAll(numbers(1, 10));
    await nats.kill();
    await expect(publisher.publish([count(11)])).rejects.toThrow();
    await nats.restart();
    await waitFor(() => publisher.publish([count(11)]), { describe: 'the publisher to recover' });
    await takenAll(numbers(1, 11));
  });

  it('continue after the server lost its storage: stream and consumer are created again', async () => {
    await startCounter();
    await publisher.publish(numbers(1, 10).map(count));
    await takenAll(numbers(1, 10));
    const before = await publisher.state();
    await nats.kill();
    await nats.restart({ wipe: true });
    await waitFor(async () => (await publisher.publish(numbers(11, 20).map(count))).lastSequence === 10);
    expect((await publisher.state())?.created).not.toBe(before?.created);
    await takenAll(numbers(1, 20));
  });

  it('are shared by replicas; one takes what the other released', async () => {
    const first = await startCounter();
    await publisher.publish(numbers(1, 200).map(count));
    await takenAll(numbers(1, 200));
    await startCounter();
    await first.stop();
    await publisher.publish(numbers(201, 400).map(count));
    await takenAll(numbers(1, 400));
    expect(taken).toHaveLength(400);
  });
});
