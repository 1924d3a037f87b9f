import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import {
  accountMailConsumer,
  durableName,
  emailServiceCreated,
  emailsConsumer,
  inboxPrefixOf,
  type NatsUser,
  OUTCOME_EVENTS,
  PLATFORM_MANAGEMENT_EVENTS,
  streamNameOf,
  streamSubjectOf,
  userDisabled,
} from '@postern/contracts';
import { type TestNats, waitFor } from '@postern/testing';
import type { NatsLink } from './connection.js';
import { JetStreamPublisher } from './jetstream/jetstream-publisher.js';
import { silentLog } from './log.js';
import { HandlesEvents } from './server/handlers.js';
import { PosternServer } from './server/postern-server.js';
import { ADMINISTRATOR, connectAs, passwordOf, startNatsWithUsers } from './testing/nats-with-users.js';

const STREAM = streamNameOf('email-send');
const FOREIGN = streamNameOf('platform-management');

const taken: string[] = [];

class AccountMail {
  @HandlesEvents(accountMailConsumer.contracts, accountMailConsumer)
  take(batch: readonly { readonly id: string }[]): void {
    taken.push(...batch.map(({ id }) => id));
  }
}

class Tracked {
  @HandlesEvents(emailsConsumer.contracts, emailsConsumer)
  take(): void {}
}

/** A forged event of platform-management. */
const forgedEvent = (): string =>
  JSON.stringify({
    id: randomUUID(),
    type: userDisabled.type,
    stream_id: 'user-1',
    version: 1,
    occurred_at: new Date().toISOString(),
    data: { user_id: randomUUID(), at: new Date().toISOString() },
    metadata: { correlation_id: 'forged' },
  });

describe.each(['2.9', '2.12'] as const)('Compromised code of a service, with nats-server %s,', version => {
  let nats: TestNats;
  let administrator: NatsConnection;
  const links: NatsLink[] = [];
  const servers: PosternServer[] = [];

  const linkOf = async (user: NatsUser): Promise<NatsLink> => {
    const link = await connectAs(nats.url, user, silentLog);
    links.push(link);
    return link;
  };
  const attacker = (user: NatsUser) =>
    connect({ servers: nats.url, user, pass: passwordOf(user), inboxPrefix: inboxPrefixOf(user) });

  const serve = async (service: 'email-send' | 'delivery-tracking', provider: object) => {
    const server = new PosternServer({ link: await linkOf(service), service, log: silentLog });
    server.addProvider(provider);
    server.listen();
    servers.push(server);
  };

  beforeAll(async () => {
    taken.length = 0;
    nats = await startNatsWithUsers(version);
    administrator = await connect({ servers: nats.url, user: ADMINISTRATOR.user, pass: ADMINISTRATOR.password });
    for (const [service, contracts] of [
      ['email-send', [emailServiceCreated]],
      ['delivery-tracking', OUTCOME_EVENTS],
      ['platform-management', PLATFORM_MANAGEMENT_EVENTS],
    ] as const)
      await new JetStreamPublisher(await linkOf(service), { service, contracts }).publish([]);
    await serve('email-send', new AccountMail());
    await serve('delivery-tracking', new Tracked());
    const jsm = await jetstreamManager(administrator);
    for (const [stream, { service, consumer }] of [
      [FOREIGN, accountMailConsumer],
      [STREAM, emailsConsumer],
    ] as const)
      await waitFor(() =>
        jsm.consumers.info(stream, durableName(service, consumer)).then(
          () => true,
          () => false,
        ),
      );
  }, 60_000);

  afterAll(async () => {
    for (const server of servers.splice(0)) await server.close();
    for (const link of links.splice(0)) await link.close();
    await administrator?.close();
    await nats?.stop();
  });

  it('cannot make its stream store requests, replies or events of other services', async () => {
    const jsm = await jetstreamManager(administrator);
    const connection = await attacker('email-send');
    const { config } = await jsm.streams.info(STREAM);
    for (const change of [
      { subjects: [streamSubjectOf('email-send'), 'postern.requests.>'] },
      { subjects: ['_INBOX.>'] },
      { subjects: [streamSubjectOf('email-send'), 'postern.events.>'] },
      { republish: { src: 'postern.events.email-send.>', dest: 'postern.events.platform-management.>' } },
      { sources: [{ name: FOREIGN }] },
    ]) {
      const body = JSON.stringify({ ...config, ...change });
      const created = await connection.request(`$JS.API.STREAM.CREATE.${STREAM}`, body);
      expect(created.json()).toHaveProperty('error');
      await expect(connection.request(`$JS.API.STREAM.UPDATE.${STREAM}`, body)).rejects.toThrow();
    }
    const after = await jsm.streams.info(STREAM);
    expect(after.config).toEqual(config);
    await connection.close();
  }, 30_000);

  it('cannot create a consumer that delivers events of its own stream elsewhere', async () => {
    const connection = await attacker('email-send');
    const body = JSON.stringify({
      stream_name: STREAM,
      config: { name: 'search', deliver_subject: `postern.events.platform-management.x` },
    });
    await expect(connection.request(`$JS.API.CONSUMER.CREATE.${STREAM}.search`, body)).rejects.toThrow();
    await connection.close();
  });

  it('cannot forge an event of another service by deliveries or answers of JetStream into its stream', async () => {
    const jsm = await jetstreamManager(administrator);
    const forged = forgedEvent();
    const publisher = await attacker('email-send');
    publisher.publish('postern.events.email-send.forged', forged, { reply: userDisabled.subject });
    publisher.publish(`$JS.API.STREAM.MSG.GET.${STREAM}`, '{"seq":1}', { reply: userDisabled.subject });
    const reader = await attacker('delivery-tracking');
    const durable = durableName(emailsConsumer.service, emailsConsumer.consumer);
    // Repeated, because the service itself consumes events too.
    const moved = await waitFor(
      async () => {
        reader.publish(`$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${durable}`, '5', { reply: userDisabled.subject });
        publisher.publish('postern.events.email-send.forged', forged);
        await publisher.flush();
        const last = (await jsm.streams.info(FOREIGN)).state.last_seq;
        for (let seq = 1; seq <= last; seq++) {
          const message = await jsm.streams.getMessage(FOREIGN, { seq });
          if (message?.string() === forged) return message;
        }
        return undefined;
      },
      { timeoutMs: 20_000 },
    );
    expect(moved.subject).toBe('postern.events.email-send.forged');
    const { service, consumer } = accountMailConsumer;
    await waitFor(async () => {
      const info = await jsm.consumers.info(FOREIGN, durableName(service, consumer));
      return info.num_pending === 0 && info.num_ack_pending === 0;
    });
    expect(taken).toEqual([]);
    await publisher.close();
    await reader.close();
  }, 60_000);

  it('cannot forge an event of another service by a stream that republishes its messages', async () => {
    const jsm = await jetstreamManager(administrator);
    await jsm.streams.delete(STREAM);
    const publisher = await attacker('email-send');
    const forged = forgedEvent();
    const [own, foreign] = [streamSubjectOf('email-send'), streamSubjectOf('platform-management')];
    const config = { name: STREAM, subjects: [own], republish: { src: own, dest: foreign } };
    await publisher.request(`$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(config));
    publisher.publish(userDisabled.subject.replace('platform-management', 'email-send'), forged);
    const { service, consumer } = accountMailConsumer;
    await waitFor(async () => {
      const { messages } = (await jsm.streams.info(FOREIGN)).state;
      const info = await jsm.consumers.info(FOREIGN, durableName(service, consumer));
      return messages > 0 && info.delivered.stream_seq > 0 && info.num_pending === 0 && info.num_ack_pending === 0;
    });
    expect(taken).toEqual([]);
    await publisher.close();
  }, 30_000);
});
