import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, createInbox, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import {
  CONFIRMATIONS,
  EVENT_CONSUMERS,
  inboxPrefixOf,
  NATS_USERS,
  type NatsUser,
  QUEUE_CONSUMER,
  queueNameOf,
  queueSubjectOf,
  queueSubjectsOf,
  RELEASE_ANSWERS,
  releaseQueriesOf,
  returnPathArrivals,
  wakeUpsOf,
} from '@postern/contracts';
import { ALL_REQUESTS, PUBLISHERS, QUEUES } from '@postern/contracts/nats-permissions';
import type { TestNats } from '@postern/testing';
import { ADMINISTRATOR, passwordOf, startNatsWithUsers } from './testing/nats-with-users.js';

const SERVERS = [...new Set(ALL_REQUESTS.map(({ service }) => service))];

/** All subjects that can be published to, with the users that the declarations permit. */
const publications = (): Map<string, readonly NatsUser[]> => {
  const all = new Map<string, readonly NatsUser[]>();
  for (const request of ALL_REQUESTS) {
    all.set(request.subject, request.callers);
    all.set(queueSubjectOf(request), request.queued ? request.callers : []);
  }
  for (const service of PUBLISHERS) all.set(wakeUpsOf(service).replace('>', 'anything.v1'), [service]);
  for (const caller of NATS_USERS)
    for (const service of SERVERS) {
      const isCaller = ALL_REQUESTS.some(request => request.service === service && request.callers.includes(caller));
      all.set(`${inboxPrefixOf(caller)}.${service}.id.r`, isCaller ? [service] : []);
      all.set(`${inboxPrefixOf(service)}.${CONFIRMATIONS}.id`, [
        ...(all.get(`${inboxPrefixOf(service)}.${CONFIRMATIONS}.id`) ?? []),
        ...(isCaller ? [caller] : []),
      ]);
    }
  for (const user of NATS_USERS) all.set(`${inboxPrefixOf(user)}.id.1`, []);
  for (const target of NATS_USERS) {
    all.set(releaseQueriesOf(target), NATS_USERS);
    for (const caller of NATS_USERS)
      all.set(`${inboxPrefixOf(caller)}.${RELEASE_ANSWERS}.${target}.id`, target === 'operator' ? [] : [target]);
  }
  all.set(returnPathArrivals('id'), ['delivery-tracking']);
  for (const subject of ['_INBOX.id', 'postern', 'postern.requests', 'anything', '$SYS.REQ.SERVER.PING'])
    all.set(subject, []);
  return all;
};

const STREAMS = [...QUEUES.map(queueNameOf), 'OTHER'];
const OF_NOBODY = [
  'STREAM.UPDATE',
  'STREAM.PURGE',
  'STREAM.MSG.DELETE',
  'STREAM.SNAPSHOT',
  'STREAM.RESTORE',
  'STREAM.PEER.REMOVE',
  'STREAM.LEADER.STEPDOWN',
];

/** Every JetStream API call, with the users that may make it. */
const jetStreamCalls = (): Map<string, readonly NatsUser[]> => {
  const all = new Map<string, readonly NatsUser[]>();
  const allow = (call: string, users: readonly NatsUser[]) => all.set(`$JS.API.${call}`, users);
  for (const call of ['INFO', 'STREAM.NAMES', 'STREAM.LIST']) allow(call, ['operator']);
  for (const call of ['ACCOUNT.PURGE.x', 'META.LEADER.STEPDOWN', 'SERVER.REMOVE']) allow(call, []);
  for (const stream of STREAMS) {
    const owner = QUEUES.filter(service => queueNameOf(service) === stream);
    const operator: NatsUser[] = owner.length > 0 ? ['operator'] : [];
    for (const call of OF_NOBODY) allow(`${call}.${stream}`, []);
    for (const call of ['STREAM.DELETE', 'STREAM.MSG.GET', 'DIRECT.GET', 'CONSUMER.CREATE'])
      allow(`${call}.${stream}`, []);
    allow(`STREAM.CREATE.${stream}`, owner);
    allow(`STREAM.INFO.${stream}`, [...owner, ...operator]);
    allow(`CONSUMER.LIST.${stream}`, operator);
    allow(`CONSUMER.NAMES.${stream}`, operator);
    for (const consumer of [QUEUE_CONSUMER, 'search']) {
      const own = consumer === QUEUE_CONSUMER ? owner : [];
      allow(`CONSUMER.INFO.${stream}.${consumer}`, [...own, ...operator]);
      allow(`CONSUMER.CREATE.${stream}.${consumer}`, own);
      allow(`CONSUMER.CREATE.${stream}.${consumer}.postern.queue.x`, []);
      allow(`CONSUMER.DURABLE.CREATE.${stream}.${consumer}`, []);
      allow(`CONSUMER.MSG.NEXT.${stream}.${consumer}`, own);
      allow(`CONSUMER.DELETE.${stream}.${consumer}`, own);
      all.set(`$JS.ACK.${stream}.${consumer}.1.1.1.1.0`, own);
    }
  }
  return all;
};

/** All subjects that can be subscribed to, with the permitted users. A queue group follows after a space. */
const subscriptions = (): Map<string, readonly NatsUser[]> => {
  const all = new Map<string, readonly NatsUser[]>();
  for (const { subject, service } of ALL_REQUESTS) {
    all.set(subject, []);
    all.set(`${subject} tap`, []);
    all.set(`${subject} ${service}`, [service]);
  }
  for (const service of PUBLISHERS) all.set(wakeUpsOf(service), []);
  for (const { service, contracts } of EVENT_CONSUMERS)
    for (const { subject } of contracts) all.set(subject, [...new Set([...(all.get(subject) ?? []), service])]);
  for (const service of QUEUES) all.set(queueSubjectsOf(service), []);
  for (const user of NATS_USERS) all.set(`${inboxPrefixOf(user)}.>`, [user]);
  for (const user of NATS_USERS) all.set(releaseQueriesOf(user), user === 'operator' ? [] : [user]);
  all.set(releaseQueriesOf('*'), []);
  all.set(returnPathArrivals('*'), ['operator']);
  for (const subject of [
    '>',
    '_INBOX.>',
    '_INBOX.*',
    '_INBOX.*.*.*.*',
    'postern.>',
    'postern.requests.>',
    '$JS.>',
    '$JS.EVENT.ADVISORY.>',
    '$SYS.>',
  ])
    all.set(subject, []);
  return all;
};

describe('The NATS users', () => {
  let nats: TestNats;
  const connections = new Map<NatsUser, NatsConnection>();
  const refusals = new Map<NatsUser, Set<string>>();

  const connectAs = async (user: NatsUser) => {
    const connection = await connect({
      servers: nats.url,
      user,
      pass: passwordOf(user),
      inboxPrefix: inboxPrefixOf(user),
      reconnect: false,
    });
    const refused = new Set<string>();
    refusals.set(user, refused);
    void (async () => {
      for await (const status of connection.status())
        if (status.type === 'error' && status.error instanceof PermissionViolationError) {
          const { operation, subject, queue } = status.error;
          refused.add(`${operation} ${subject}${queue ? ` ${queue}` : ''}`);
        }
    })();
    return connection;
  };

  beforeAll(async () => {
    nats = await startNatsWithUsers();
    for (const user of NATS_USERS) connections.set(user, await connectAs(user));
  });

  afterAll(async () => {
    for (const connection of connections.values()) await connection.close();
    await nats?.stop();
  });

  /** The operations that the server refused to a user. */
  const refusedOf = async (
    user: NatsUser,
    operation: 'publish' | 'subscription',
    all: Iterable<string>,
  ): Promise<readonly string[]> => {
    const connection = connections.get(user)!;
    for (const what of all) {
      const [subject = '', queue] = what.split(' ');
      // An invalid request to JetStream changes nothing.
      if (operation === 'publish') connection.publish(subject, 'invalid');
      else {
        const callback = () => undefined;
        connection.subscribe(subject, queue ? { queue, callback, max: 1 } : { callback, max: 1 });
      }
    }
    await connection.flush();
    await connection.flush();
    const refused = refusals.get(user)!;
    return [...all].filter(what => refused.has(`${operation} ${what}`));
  };

  it.each(NATS_USERS)('%s sends the requests, replies and events of its contracts, and nothing else', async user => {
    const all = publications();
    const foreign = [...all].filter(([, users]) => !users.includes(user)).map(([subject]) => subject);
    expect(await refusedOf(user, 'publish', [...all.keys()])).toEqual(foreign);
    expect(foreign.length).toBeGreaterThan(100);
  });

  it.each(NATS_USERS)('%s calls JetStream for its own queue, and for nothing else', async user => {
    const all = jetStreamCalls();
    const foreign = [...all].filter(([, users]) => !users.includes(user)).map(([subject]) => subject);
    expect(await refusedOf(user, 'publish', [...all.keys()])).toEqual(foreign);
    expect(foreign.length).toBeGreaterThan(50);
  });

  it.each(NATS_USERS)('%s reads its own inboxes and requests, and nothing else', async user => {
    const all = subscriptions();
    const foreign = [...all].filter(([, users]) => !users.includes(user)).map(([subject]) => subject);
    expect(await refusedOf(user, 'subscription', [...all.keys()])).toEqual(foreign);
    expect(foreign.length).toBeGreaterThan(100);
  });

  it.each(NATS_USERS)('%s gets no messages of other users by a stream or consumer that it does not own', async user => {
    const owner = await connect({ servers: nats.url, user: ADMINISTRATOR.user, pass: ADMINISTRATOR.password });
    const jsm = await jetstreamManager(owner);
    await jsm.streams.add({ name: 'OTHER', subjects: ['other'] });
    const own = connections.get(user)!;
    const inbox = createInbox(inboxPrefixOf(user));
    const received: string[] = [];
    own.subscribe(inbox, { callback: (_error, message) => void received.push(message.string()) });
    own.publish(
      '$JS.API.CONSUMER.CREATE.OTHER',
      JSON.stringify({ stream_name: 'OTHER', config: { deliver_subject: inbox } }),
    );
    own.publish('$JS.API.STREAM.DELETE.OTHER', '', { reply: inbox });
    await own.flush();
    owner.publish('other', 'secret');
    await owner.flush();
    await own.flush();
    expect(received).toEqual([]);
    expect((await jsm.streams.info('OTHER')).state.messages).toBe(1);
    await jsm.streams.delete('OTHER');
    await owner.close();
  });
});

describe('A request', () => {
  it.each(ALL_REQUESTS)('$subject has a user who may send it', request => {
    expect(request.callers).not.toEqual([]);
  });
});
