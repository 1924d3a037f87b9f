import * as contracts from './index.js';
import {
  CONFIRMATIONS,
  durableName,
  type EventConsumer,
  type EventContract,
  inboxPrefixOf,
  isEventConsumer,
  isEventContract,
  isRequestContract,
  NATS_USERS,
  type NatsUser,
  OPERATIONS,
  QUEUE_CONSUMER,
  queueNameOf,
  queueSubjectOf,
  type RequestContract,
  returnPathArrivals,
  type ServiceName,
  streamNameOf,
  streamSubjectOf,
} from './index.js';

/** The subjects that a user may use in one direction; `deny` wins. */
export interface SubjectPermissions {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The permissions of a NATS user; all other operations are refused. */
export interface NatsPermissions {
  readonly publish: SubjectPermissions;
  readonly subscribe: SubjectPermissions;
}

const exported = Object.values<unknown>(contracts);

/** Every request of every service. */
export const ALL_REQUESTS: readonly RequestContract[] = [
  ...exported.filter(isRequestContract),
  ...Object.values(OPERATIONS).flatMap(operations => Object.values<RequestContract>(operations)),
];

/** Every consumer of events. */
export const ALL_CONSUMERS: readonly EventConsumer[] = exported.filter(isEventConsumer);

/** The services that publish events, each to its own stream. */
export const PUBLISHERS: readonly ServiceName[] = [
  ...new Set(exported.filter(isEventContract).map(({ service }) => service)),
];

/** The services that have a queue for requests. */
export const QUEUES: readonly ServiceName[] = [
  ...new Set(ALL_REQUESTS.filter(({ queued }) => queued).map(({ service }) => service)),
];

/** The services that publish the events of some contracts. */
export const sourcesOf = (taken: readonly EventContract[]): readonly ServiceName[] => [
  ...new Set(taken.map(({ service }) => service)),
];

/** The users that may send a request: its callers, and consumers that report lost events to a service. */
export const callersOf = (request: RequestContract): readonly NatsUser[] => {
  const { service } = request;
  if (request !== OPERATIONS[service]?.reportMissingEvents) return request.callers;
  const consumers = ALL_CONSUMERS.filter(consumer => sourcesOf(consumer.contracts).includes(service));
  return [...new Set([...request.callers, ...consumers.map(consumer => consumer.service)])];
};

const requestsBy = (user: NatsUser): readonly RequestContract[] =>
  ALL_REQUESTS.filter(request => callersOf(request).includes(user));

const callersOfService = (service: NatsUser): readonly NatsUser[] =>
  NATS_USERS.filter(user => requestsBy(user).some(request => request.service === service));

const api = (...path: readonly string[]): string => ['$JS.API', ...path].join('.');

/** Requests, the confirmations of their replies, and replies to callers. */
const requestSubjects = (user: NatsUser): readonly string[] => {
  const requests = requestsBy(user);
  const services = [...new Set(requests.map(({ service }) => service))];
  return [
    ...requests.map(({ subject }) => subject),
    ...requests.filter(({ queued }) => queued).map(queueSubjectOf),
    ...services.map(service => `${inboxPrefixOf(service)}.${CONFIRMATIONS}.>`),
    ...callersOfService(user).map(caller => `${inboxPrefixOf(caller)}.${user}.>`),
  ];
};

/** The subjects that a durable consumer needs. */
const readingSubjects = (stream: string, durable: string): readonly string[] => [
  api('STREAM.INFO', stream),
  api('CONSUMER.INFO', stream, durable),
  api('CONSUMER.CREATE', stream, durable),
  api('CONSUMER.MSG.NEXT', stream, durable),
  `$JS.ACK.${stream}.${durable}.>`,
];

/** The subjects that the consumers of a service need in the streams of other services. */
const consumerSubjects = (user: NatsUser): readonly string[] =>
  ALL_CONSUMERS.filter(({ service }) => service === user).flatMap(
    ({ service, consumer, contracts: taken, replaces }) => [
      ...sourcesOf(taken).flatMap(source => readingSubjects(streamNameOf(source), durableName(service, consumer))),
      ...replaces.flatMap(former => formerSubjects(streamNameOf(former.source), durableName(service, former.consumer))),
    ],
  );

/** The previous release reads a replaced consumer during an upgrade; this release deletes it afterwards. */
const formerSubjects = (stream: string, durable: string): readonly string[] => [
  ...readingSubjects(stream, durable),
  api('CONSUMER.DELETE', stream, durable),
];

/** The subjects that a service needs for its own queue, which it may not change or delete. */
const queueSubjects = (user: NatsUser): readonly string[] =>
  QUEUES.filter(service => service === user)
    .map(queueNameOf)
    .flatMap(queue => [api('STREAM.CREATE', queue), ...readingSubjects(queue, QUEUE_CONSUMER)]);

/**
 * No update: NATS refuses to create a stream that exists with another configuration, so a service cannot change the
 * subjects that its stream stores.
 */
const STREAM_CALLS = [
  'STREAM.INFO',
  'STREAM.CREATE',
  'STREAM.PURGE',
  'STREAM.MSG.GET',
  'STREAM.MSG.DELETE',
  'CONSUMER.LIST',
];

/** The subjects that a publisher needs: its event subjects, and its own stream, which it may not change or delete. */
const publisherSubjects = (user: NatsUser): readonly string[] => {
  const service = PUBLISHERS.find(publisher => publisher === user);
  if (!service) return [];
  return [streamSubjectOf(service), ...STREAM_CALLS.map(call => api(call, streamNameOf(service)))];
};

/** Reads the state of JetStream, and removes unused durable consumers. */
const operatorSubjects = (): readonly string[] => [
  api('INFO'),
  api('STREAM.NAMES'),
  api('STREAM.LIST'),
  ...[...PUBLISHERS.map(streamNameOf), ...QUEUES.map(queueNameOf)].flatMap(stream => [
    api('STREAM.INFO', stream),
    api('CONSUMER.NAMES', stream),
    api('CONSUMER.LIST', stream),
    api('CONSUMER.INFO', stream, '*'),
    api('CONSUMER.DELETE', stream, '*'),
  ]),
];

/** The required permissions of a NATS user, generated from the contracts, so that new contracts are included. */
export const natsPermissionsOf = (user: NatsUser): NatsPermissions => {
  const publish = [
    ...requestSubjects(user),
    ...consumerSubjects(user),
    ...queueSubjects(user),
    ...publisherSubjects(user),
    ...(user === 'delivery-tracking' ? [returnPathArrivals('*')] : []),
    ...(user === 'operator' ? operatorSubjects() : []),
  ];
  const isServer = ALL_REQUESTS.some(({ service }) => service === user);
  const subscribe = [
    `${inboxPrefixOf(user)}.>`,
    // The second word is the queue group, without which a service would see the requests of its other replicas too.
    ...(isServer ? [`postern.requests.${user}.* ${user}`] : []),
    ...(user === 'operator' ? [returnPathArrivals('*')] : []),
  ];
  return {
    publish: { allow: [...new Set(publish)].sort(), deny: [] },
    subscribe: { allow: subscribe, deny: [] },
  };
};

const listed = (subjects: readonly string[], indent: string): string =>
  subjects.map(subject => `\n${indent}  ${JSON.stringify(subject)}`).join('');

const direction = (name: string, { allow, deny }: SubjectPermissions): string =>
  [
    `        ${name}: {`,
    `          allow: [${listed(allow, '          ')}\n          ]`,
    ...(deny.length > 0 ? [`          deny: [${listed(deny, '          ')}\n          ]`] : []),
    '        }',
  ].join('\n');

/** A user with every permission, such as the user that all services share until each has its own. */
export interface NatsSuperuser {
  readonly user: string;
  readonly password: string;
}

/**
 * The `authorization` block of nats.conf. A password is written as given: a quoted string, or `$NAME`, which NATS takes
 * from its environment.
 */
export const natsAuthorization = (
  passwordOf: (user: NatsUser) => string,
  superusers: readonly NatsSuperuser[] = [],
): string => {
  const users = NATS_USERS.map(user => {
    const { publish, subscribe } = natsPermissionsOf(user);
    return [
      '    {',
      `      user: ${JSON.stringify(user)}`,
      `      password: ${passwordOf(user)}`,
      '      permissions: {',
      direction('publish', publish),
      direction('subscribe', subscribe),
      '      }',
      '    }',
    ].join('\n');
  });
  const all = superusers.map(({ user, password }) => `    { user: ${user}, password: ${password} }`);
  return [
    'authorization {',
    '  # Connections that do not authenticate use up the limit of connections only for this many seconds.',
    '  timeout: 3',
    '  users: [',
    ...all,
    ...users,
    '  ]',
    '}',
    '',
  ].join('\n');
};

/** The variable with the password of a user, if NATS takes passwords from its environment. */
export const passwordVariableOf = (user: NatsUser): string =>
  `POSTERN_NATS_PASSWORD_${user.replaceAll('-', '_').toUpperCase()}`;

/** The users of NATS as Compose and the chart include them; NATS takes every password from its environment. */
export const natsUsersFile = (): string =>
  [
    '# Written by `node tools/checks/nats-users.mjs` from the contracts.',
    '# The first user may do everything, for the administrator of NATS.',
    natsAuthorization(user => `$${passwordVariableOf(user)}`, [{ user: '$NATS_USER', password: '$NATS_PASSWORD' }]),
  ].join('\n');
