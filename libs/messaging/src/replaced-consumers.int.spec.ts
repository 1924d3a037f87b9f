import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventsOf } from '@postern/contracts';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import { z } from 'zod';
import { connectNats, type NatsLink } from './connection.js';
import { FormerConsumers } from './jetstream/former-consumers.js';
import { JetStreamPublisher, suitableManager } from './jetstream/jetstream-publisher.js';
import { type Log, silentLog } from './log.js';
import { type EventBatch, HandlesEvents } from './server/handlers.js';
import { startTinyService, type TinyService } from './testing/tiny-service.js';

const STREAM = 'postern-email-send';
const event = eventsOf('email-send');
const counted = event('counted.v1', z.object({ n: z.int() }));
const named = event('named.v1', z.object({ n: z.int() }));
type Batch = EventBatch<typeof counted | typeof named>;

const taken: Record<string, number[]> = {};
const note = (name: string, batch: Batch) => {
  taken[name] = [...(taken[name] ?? []), ...batch.map(({ data }) => data.n)];
};
let isBroken = false;

class Before {
  @HandlesEvents([counted], { consumer: 'counts' })
  count(batch: Batch): void {
    note('counts', batch);
  }

  @HandlesEvents([named], { consumer: 'names' })
  name(batch: Batch): void {
    note('names', batch);
  }
}

const after = {
  consumer: 'all',
  replaces: [
    { source: 'email-send', consumer: 'counts' },
    { source: 'email-send', consumer: 'names' },
  ],
} as const;

class After {
  @HandlesEvents([counted, named], after)
  all(batch: Batch): void {
    note('all', batch);
  }

  @HandlesEvents([named], after)
  name(batch: Batch): void {
    if (isBroken) throw new Error('cannot name');
    note('some', batch);
  }
}

describe.each(['2.9', '2.12'] as const)('A consumer over nats-server %s', version => {
  let nats: TestNats;
  let link: NatsLink;
  let publisher: JetStreamPublisher;
  const reported: string[] = [];
  const log: Log = { ...silentLog, error: (_fields, message) => reported.push(message) };
  const services: TinyService[] = [];

  const start = async (Provider: new () => object) => {
    const eventRetries = { batchMs: [10], outageMs: 50, poisonMs: [50] } as const;
    const service = await startTinyService(nats.url, Provider, { service: 'webhook-dispatch', log, eventRetries });
    services.push(service);
    return service;
  };
  const publish = (contract: typeof counted | typeof named, ...all: number[]) =>
    publisher.publish(
      all.map(n => ({
        id: randomUUID(),
        type: contract.type,
        streamId: 'counter-1',
        version: 1,
        occurredAt: new Date(),
        data: { n },
        metadata: { correlationId: 'test' },
      })),
    );
  const took = (name: string, count: number) =>
    waitFor(() => taken[name]?.length === count, { describe: () => `${count} of ${name}, not ${taken[name]}` });
  const consumers = async () => {
    const names = await (await suitableManager(link)).consumers.list(STREAM).next();
    return names.map(({ name }) => name).sort();
  };
  const acknowledged = (durable: string) =>
    waitFor(async () => {
      const info = await (await suitableManager(link)).consumers.info(STREAM, durable);
      return info.num_pending === 0 && info.num_ack_pending === 0;
    });

  beforeEach(async () => {
    for (const name of Object.keys(taken)) delete taken[name];
    reported.length = 0;
    isBroken = false;
    nats = await startNats({ version });
    link = await connectNats({ servers: nats.url, name: 'publisher' });
    publisher = new JetStreamPublisher(link, { service: 'email-send', contracts: [counted, named] });
  });

  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
    await link.close();
    await nats.stop();
  });

  it('passes to each of its handlers the events of its types, in order', async () => {
    await start(After);
    await publish(counted, 1, 2);
    await publish(named, 3);
    await publish(counted, 4);
    await took('all', 4);
    await took('some', 1);
    expect(taken).toEqual({ all: [1, 2, 3, 4], some: [3] });
  });

  it('passes an event to all of its handlers again when one of them fails', async () => {
    isBroken = true;
    await start(After);
    await publish(named, 1);
    await waitFor(() => (taken.all?.length ?? 0) > 1);
    isBroken = false;
    await took('some', 1);
    await acknowledged('webhook-dispatch-all');
  });

  it('that replaces others continues at the earliest of their positions, and misses nothing', async () => {
    const before = await start(Before);
    await publish(counted, 1, 2, 3);
    await took('counts', 3);
    await acknowledged('webhook-dispatch-counts');
    await acknowledged('webhook-dispatch-names');
    await before.stop();
    await publish(named, 4, 5);
    await start(After);
    await took('all', 2);
    await publish(counted, 6);
    await took('all', 3);
    expect(taken).toEqual({ counts: [1, 2, 3], all: [4, 5, 6], some: [4, 5] });
    expect(reported).toEqual([]);
  });

  it('that is replaced is deleted when no process reads it', async () => {
    const before = await start(Before);
    await publish(counted, 1);
    await took('counts', 1);
    await start(After);
    // It starts after the events that the earlier release acknowledged before it existed.
    await waitFor(async () => (await consumers()).includes('webhook-dispatch-all'));
    const former = new FormerConsumers({
      link,
      log,
      by: { stream: STREAM, durable: 'webhook-dispatch-all' },
      replaced: ['counts', 'names'].map(name => ({ source: 'email-send', durable: `webhook-dispatch-${name}` })),
      idleMs: 100,
    });
    former.start();
    await publish(counted, 2);
    await took('counts', 2);
    await waitFor(() => taken.all?.includes(2));
    expect(await consumers()).toEqual(['webhook-dispatch-all', 'webhook-dispatch-counts', 'webhook-dispatch-names']);
    await before.stop();
    await waitFor(async () => (await consumers()).length === 1, { describe: 'two consumers to be deleted' });
    expect(await consumers()).toEqual(['webhook-dispatch-all']);
    await former.stop();
  });

  it('that is replaced is kept until its replacement exists', async () => {
    const before = await start(Before);
    await publish(counted, 1);
    await took('counts', 1);
    await before.stop();
    const former = new FormerConsumers({
      link,
      log,
      by: { stream: STREAM, durable: 'webhook-dispatch-all' },
      replaced: [{ source: 'email-send', durable: 'webhook-dispatch-counts' }],
      idleMs: 20,
    });
    let checks = 0;
    link.nc.subscribe(`$JS.API.CONSUMER.INFO.${STREAM}.webhook-dispatch-counts`, { callback: () => void checks++ });
    former.start();
    await waitFor(() => checks > 3, { describe: 'some checks' });
    expect(await consumers()).toContain('webhook-dispatch-counts');
    await former.stop();
  });
});
