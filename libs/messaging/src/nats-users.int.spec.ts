import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  authenticateApiKey,
  emailServiceCreated,
  emailsConsumer,
  listErasures,
  type NatsUser,
  OPERATIONS,
  OUTCOME_EVENTS,
  PLATFORM_MANAGEMENT_EVENTS,
} from '@postern/contracts';
import { type TestNats, waitFor } from '@postern/testing';
import type { NatsLink } from './connection.js';
import { JetStreamPublisher } from './jetstream/jetstream-publisher.js';
import { StreamErasure } from './jetstream/stream-erasure.js';
import type { Log } from './log.js';
import { RequestClient } from './request-client.js';
import { HandlesEvents } from './server/handlers.js';
import { PosternServer } from './server/postern-server.js';
import { connectAs, startNatsWithUsers } from './testing/nats-with-users.js';

const taken: string[] = [];

class Recorder {
  @HandlesEvents([emailServiceCreated], emailsConsumer)
  take(batch: readonly { readonly id: string }[]): void {
    taken.push(...batch.map(({ id }) => id));
  }
}

const event = (name: string) => ({
  id: randomUUID(),
  type: emailServiceCreated.type,
  streamId: 'service-1',
  version: 1,
  occurredAt: new Date(),
  data: {
    service_id: '01980000-0000-7000-8000-000000000001',
    workspace_id: '01980000-0000-7000-8000-000000000002',
    name,
    at: new Date().toISOString(),
  },
  metadata: {},
});

describe.each(['2.9', '2.12'] as const)('With the users of nats-server %s', version => {
  let nats: TestNats;
  const links = new Map<NatsUser, NatsLink>();
  const warnings: unknown[] = [];
  const log: Log = {
    info: () => {},
    warn: (...args) => void warnings.push(args),
    error: (...args) => void warnings.push(args),
  };

  const linkOf = async (user: NatsUser): Promise<NatsLink> => {
    const link = links.get(user) ?? (await connectAs(nats.url, user, log));
    links.set(user, link);
    return link;
  };

  beforeAll(async () => {
    taken.length = 0;
    nats = await startNatsWithUsers(version);
  });

  afterAll(async () => {
    for (const link of links.values()) await link.close();
    links.clear();
    await nats?.stop();
  });

  it('a service answers its callers, who confirm the replies', async () => {
    const link = await linkOf('email-send');
    const server = new PosternServer({ link, service: 'email-send', log });
    server.handle(authenticateApiKey, async () => ({ service_id: '01980000-0000-7000-8000-000000000001' }));
    server.handle(listErasures, async () => ({ erasures: [] }));
    server.listen();
    const gateway = new RequestClient(await linkOf('api-gateway'));
    const operator = new RequestClient(await linkOf('operator'));
    await expect(gateway.request(authenticateApiKey, { api_key_hash: 'a'.repeat(64) })).resolves.toHaveProperty(
      'service_id',
    );
    await expect(operator.request(listErasures, {})).resolves.toEqual({ erasures: [] });
    expect(warnings).toEqual([]);

    await expect(gateway.request(listErasures, {})).rejects.toThrow(
      'NATS does not permit this user to send the request',
    );
    const tracking = new RequestClient(await linkOf('delivery-tracking'));
    const erase = OPERATIONS['email-send'].rebuildProjection;
    await expect(tracking.request(erase, { name: 'emails' })).rejects.toThrow('NATS does not permit this user');
    warnings.length = 0;
    for (const client of [gateway, operator, tracking]) client.close();
    await server.close();
  });

  it('a service publishes to its stream, another one consumes the events, and an erasure overwrites them', async () => {
    const link = await linkOf('email-send');
    const publisher = new JetStreamPublisher(link, {
      service: 'email-send',
      contracts: [emailServiceCreated],
      maxAgeMs: 0,
    });
    const first = event('ada@my-shop.test');
    await publisher.publish([first]);
    const server = new PosternServer({ link: await linkOf('delivery-tracking'), service: 'delivery-tracking', log });
    server.addProvider(new Recorder());
    server.listen();
    await waitFor(() => taken.length === 1);
    const erasure = new StreamErasure(link, 'email-send');
    const part = await erasure.erase(1, 1, {
      containing: ['ada@my-shop.test'],
      without: data => ({ ...(data as object), name: 'erased' }),
      withoutInId: () => undefined,
      noteAs: 'erasure-1',
      evenInHand: true,
    });
    expect(part.erased).toBe(1);
    await waitFor(() => taken.length === 2);
    expect(await publisher.retention()).toHaveProperty('takenByAll');
    await publisher.removeOld();
    expect((await publisher.state())?.lastSequence).toBe(2);
    await server.close();
    expect(warnings).toEqual([]);
  }, 30_000);

  it('the other publishers create their streams', async () => {
    for (const [service, contracts] of [
      ['delivery-tracking', OUTCOME_EVENTS],
      ['platform-management', PLATFORM_MANAGEMENT_EVENTS],
    ] as const) {
      const publisher = new JetStreamPublisher(await linkOf(service), { service, contracts });
      await publisher.publish([]);
      expect(await publisher.state()).toMatchObject({ lastSequence: 0 });
    }
    expect(warnings).toEqual([]);
  });
});
