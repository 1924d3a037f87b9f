import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  authenticateApiKey,
  EVENT_FEEDS,
  emailAccepted,
  listErasures,
  type NatsUser,
  OPERATIONS,
} from '@postern/contracts';
import { type TestNats, waitFor } from '@postern/testing';
import type { NatsLink } from './connection.js';
import type { Log } from './log.js';
import { RequestClient } from './request-client.js';
import { PosternServer } from './server/postern-server.js';
import { connectAs, startNatsWithUsers } from './testing/nats-with-users.js';

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

  it('a service reads the events of another one as its contract permits, and no service reads them in its place', async () => {
    const feed = EVENT_FEEDS.find(
      ({ service, callers }) => service === 'email-send' && callers[0] === 'delivery-tracking',
    )!;
    const page = { events: [], position: null, more: false, hidden: false, restarted: false };
    const server = new PosternServer({ link: await linkOf('email-send'), service: 'email-send', log });
    server.handle(feed, async () => page);
    server.listen();
    await (await linkOf('email-send')).roundTrip(2_000);
    const request = { consumer: 'emails', types: [emailAccepted.type], after: null };
    const reader = new RequestClient(await linkOf('delivery-tracking'));
    await expect(reader.request(feed, request)).resolves.toEqual(page);
    await expect(
      reader.request(feed, { ...request, types: ['email-send.email-service-created.v1'] as never }),
    ).rejects.toThrow('does not fit its contract');
    const other = new RequestClient(await linkOf('webhook-dispatch'));
    await expect(other.request(feed, request)).rejects.toThrow('NATS does not permit this user');
    for (const client of [reader, other]) client.close();
    await server.close();
    warnings.length = 0;
  });

  it('a wake-up of a service reaches its consumers', async () => {
    const woken: string[] = [];
    const consumer = await linkOf('delivery-tracking');
    consumer.subscribe(emailAccepted.subject, ({ subject }) => void woken.push(subject));
    await consumer.roundTrip(2_000);
    (await linkOf('email-send')).nc.publish(emailAccepted.subject);
    await waitFor(() => woken.length === 1);
    expect(warnings).toEqual([]);
  });
});
