import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { emailServiceCreated, streamNameOf, streamSubjectOf } from '@postern/contracts';
import type { TestNats } from '@postern/testing';
import type { NatsLink } from '../connection.js';
import { silentLog } from '../log.js';
import { ADMINISTRATOR, connectAs, startNatsWithUsers } from '../testing/nats-with-users.js';
import { JetStreamPublisher } from './jetstream-publisher.js';

const STREAM = streamNameOf('email-send');
const SUBJECT = streamSubjectOf('email-send');

const event = () => ({
  id: randomUUID(),
  type: emailServiceCreated.type,
  streamId: 'service-1',
  version: 1,
  occurredAt: new Date(),
  data: {},
  metadata: {},
});

describe.each(['2.9', '2.12'] as const)('The publisher of a service, as its user of nats-server %s,', version => {
  let nats: TestNats;
  let link: NatsLink;
  let administrator: NatsConnection;
  let jsm: JetStreamManager;

  beforeAll(async () => {
    nats = await startNatsWithUsers(version);
    administrator = await connect({ servers: nats.url, user: ADMINISTRATOR.user, pass: ADMINISTRATOR.password });
    jsm = await jetstreamManager(administrator);
    link = await connectAs(nats.url, 'email-send', silentLog);
  }, 60_000);
  beforeEach(() => jsm.streams.delete(STREAM).catch(() => undefined));
  afterAll(async () => {
    await link?.close();
    await administrator?.close();
    await nats?.stop();
  });
  const publisher = () => new JetStreamPublisher(link, { service: 'email-send', contracts: [emailServiceCreated] });

  it.each([
    [{ subjects: [SUBJECT, 'postern.requests.>'] }, 'stores postern.requests.>'],
    [{ subjects: [SUBJECT], max_age: 3_600_000_000_000 }, 'deletes events by their age'],
  ])('publishes nothing to a stream with %j, which it may not change', async (settings, found) => {
    await jsm.streams.add({ name: STREAM, discard: 'new' as never, ...settings });
    const { blocked } = await publisher().publish([event()]);
    expect(blocked).toMatchObject({ condition: 'wrong_settings', taken: 0 });
    expect(blocked?.reason).toContain(found);
    expect((await jsm.streams.info(STREAM)).state.messages).toBe(0);
  });

  it('publishes to a stream of another size, which loses no events', async () => {
    await jsm.streams.add({ name: STREAM, discard: 'new' as never, subjects: [SUBJECT], max_bytes: 1_000_000 });
    expect((await publisher().publish([event()])).blocked).toBeUndefined();
    expect((await jsm.streams.info(STREAM)).state.messages).toBe(1);
  });

  it('detects on its own that the stream has changed', async () => {
    const running = publisher();
    await running.publish([event()]);
    const { config } = await jsm.streams.info(STREAM);
    await jsm.streams.update(STREAM, { ...config, subjects: [SUBJECT, 'postern.requests.>'] });
    await running.retention();
    expect(running.refusal()).toMatchObject({ condition: 'wrong_settings' });
    await jsm.streams.update(STREAM, config);
    await running.state();
    expect(running.refusal()).toBeUndefined();
  });
});
