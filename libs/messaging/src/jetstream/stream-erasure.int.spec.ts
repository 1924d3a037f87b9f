import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventsOf } from '@postern/contracts';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import { z } from 'zod';
import { connectNats, type NatsLink } from '../connection.js';
import { type EventBatch, HandlesEvents } from '../server/handlers.js';
import { startTinyService, type TinyService } from '../testing/tiny-service.js';
import { JetStreamPublisher, type PublishableEvent } from './jetstream-publisher.js';
import { StreamErasure, type StreamErasureRequest } from './stream-erasure.js';

const mailed = eventsOf('email-send')('mailed.v1', z.object({ to: z.string() }));
const ADDRESS = 'mary-jane@my-shop.test';
const NOTE = 'erased-1@erased.invalid';

const event = (to: string): PublishableEvent => ({
  id: randomUUID(),
  type: mailed.type,
  streamId: `emails-to-${to}`,
  version: 1,
  occurredAt: new Date(),
  data: { to },
  metadata: {},
});

const request: StreamErasureRequest = {
  containing: [ADDRESS],
  without: data => {
    const text = JSON.stringify(data);
    return text.includes(ADDRESS) ? (JSON.parse(text.replaceAll(ADDRESS, NOTE)) as unknown) : undefined;
  },
  withoutInId: id => (id.endsWith(ADDRESS) ? id.replace(ADDRESS, NOTE) : undefined),
  noteAs: NOTE,
};

const taken: { readonly id: string; readonly to: string }[] = [];
let hold: Promise<void> | undefined;

class Reader {
  @HandlesEvents([mailed], { consumer: 'reader' })
  async read(batch: EventBatch<typeof mailed>): Promise<void> {
    taken.push(...batch.map(({ id, data }) => ({ id, to: data.to })));
    await hold;
  }
}

describe.each(['2.9', '2.12'] as const)('An erasure from a stream of nats-server %s', version => {
  let nats: TestNats;
  let link: NatsLink;
  let publisher: JetStreamPublisher;
  let erasure: StreamErasure;
  let folder: string;
  const services: TinyService[] = [];

  beforeEach(async () => {
    taken.length = 0;
    hold = undefined;
    folder = mkdtempSync(join(tmpdir(), 'postern-stream-'));
    nats = await startNats({ version, storeDir: folder });
    link = await connectNats({ servers: nats.url, name: 'publisher' });
    publisher = new JetStreamPublisher(link, { service: 'email-send', contracts: [mailed] });
    erasure = new StreamErasure(link, 'email-send');
  });

  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
    await link.close();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const reader = async () => {
    const service = await startTinyService(nats.url, Reader, { service: 'webhook-dispatch' });
    services.push(service);
    return service;
  };
  const eraseAll = async () => {
    const { first, last } = (await erasure.range()) ?? { first: 1, last: 0 };
    let erased = 0;
    for (let from = first; from <= last; ) {
      const part = await erasure.erase(from, last, request);
      erased += part.erased;
      if (part.inHandOf !== undefined) return { erased, inHandOf: part.inHandOf };
      from = part.next;
    }
    return { erased, inHandOf: undefined };
  };
  const bytesOnDisk = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
      .join('\n');

  it('overwrites the data, and a later consumer receives every event once, redacted', async () => {
    const [hers, other] = [event(ADDRESS), event('bob@my-shop.test')];
    await publisher.publish([hers, other, ...Array.from({ length: 1_200 }, (_, n) => event(`n${n}@x.test`))]);
    expect(bytesOnDisk()).toContain(ADDRESS);
    expect(await eraseAll()).toEqual({ erased: 1, inHandOf: undefined });
    expect(bytesOnDisk()).not.toContain(ADDRESS);
    expect(bytesOnDisk()).toContain('bob@my-shop.test');
    await reader();
    await waitFor(() => taken.length >= 1_202);
    expect(taken).toHaveLength(1_202);
    expect(taken.filter(({ id }) => id === hers.id)).toEqual([{ id: hers.id, to: NOTE }]);
    expect(await eraseAll()).toEqual({ erased: 0, inHandOf: undefined });
  }, 30_000);

  it('keeps a message that a consumer is handling until it is acknowledged', async () => {
    const release = Promise.withResolvers<void>();
    hold = release.promise;
    await reader();
    await publisher.publish([event(ADDRESS)]);
    await waitFor(() => taken.length === 1);
    expect(await eraseAll()).toEqual({ erased: 0, inHandOf: expect.stringContaining('reader') });
    release.resolve();
    await waitFor(async () => (await eraseAll()).inHandOf === undefined);
    expect(bytesOnDisk()).not.toContain(ADDRESS);
    await waitFor(() => taken.length === 2);
    expect(taken.map(({ to }) => to)).toEqual([ADDRESS, NOTE]);
  }, 30_000);

  it('lets a consumer continue after a message that it never acknowledged', async () => {
    const release = Promise.withResolvers<void>();
    hold = release.promise;
    const service = await reader();
    await publisher.publish([event(ADDRESS)]);
    await waitFor(() => taken.length === 1);
    const { last = 0 } = (await erasure.range()) ?? {};
    expect(await erasure.erase(1, last, { ...request, evenInHand: true })).toMatchObject({ erased: 1 });
    release.resolve();
    await service.stop();
    services.length = 0;
    hold = undefined;
    await reader();
    await publisher.publish([event('bob@my-shop.test')]);
    await waitFor(() => taken.some(({ to }) => to === 'bob@my-shop.test') && taken.some(({ to }) => to === NOTE));
  }, 30_000);

  it('erases messages that are not events but contain the address', async () => {
    await publisher.publish([event('bob@my-shop.test')]);
    link.nc.publish('postern.events.email-send.mailed.v1', `{"broken": "${ADDRESS}"`);
    await waitFor(async () => (await erasure.range())?.last === 2);
    expect(await eraseAll()).toEqual({ erased: 1, inHandOf: undefined });
    expect(bytesOnDisk()).not.toContain(ADDRESS);
  });

  it('does nothing without a stream', async () => {
    expect(await erasure.range()).toBeUndefined();
  });
});
