import * as contracts from './index.js';
import {
  CONFIRMATIONS,
  changesOf,
  EVENT_CONSUMERS,
  EVENT_FEEDS,
  type EventContract,
  INBOXES,
  inboxPrefixOf,
  isEventContract,
  isRequestContract,
  NATS_USERS,
  type NatsUser,
  OPERATIONS,
  QUEUE_CONSUMER,
  queueNameOf,
  queueSubjectOf,
  RELEASE_ANSWERS,
  type RequestContract,
  releaseQueriesOf,
  returnPathArrivals,
  type ServiceName,
  wakeUpsOf,
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
  ...EVENT_FEEDS,
];

/** The services that publish events. */
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

const requestsBy = (user: NatsUser): readonly RequestContract[] =>
  ALL_REQUESTS.filter(request => request.callers.includes(user));

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

const consumersOf = (user: NatsUser) => EVENT_CONSUMERS.filter(({ service }) => service === user);

/** Where the services say that there are new events, for the consumers of a service. */
const wakeUpSubjects = (user: NatsUser): readonly string[] => [
  ...new Set(consumersOf(user).flatMap(consumer => consumer.contracts.map(({ subject }) => subject))),
];

/** The subjects that a service needs for its own queue, which it may not change or delete. */
const queueSubjects = (user: NatsUser): readonly string[] =>
  QUEUES.filter(service => service === user)
    .map(queueNameOf)
    .flatMap(queue => [
      api('STREAM.CREATE', queue),
      api('STREAM.INFO', queue),
      api('CONSUMER.INFO', queue, QUEUE_CONSUMER),
      api('CONSUMER.CREATE', queue, QUEUE_CONSUMER),
      api('CONSUMER.DELETE', queue, QUEUE_CONSUMER),
      api('CONSUMER.MSG.NEXT', queue, QUEUE_CONSUMER),
      `$JS.ACK.${queue}.${QUEUE_CONSUMER}.>`,
    ]);

/** Reads the state of JetStream. */
const operatorSubjects = (): readonly string[] => [
  api('INFO'),
  api('STREAM.NAMES'),
  api('STREAM.LIST'),
  ...QUEUES.map(queueNameOf).flatMap(queue => [
    api('STREAM.INFO', queue),
    api('CONSUMER.NAMES', queue),
    api('CONSUMER.LIST', queue),
    api('CONSUMER.INFO', queue, '*'),
  ]),
];

/** The required permissions of a NATS user, generated from the contracts, so that new contracts are included. */
export const natsPermissionsOf = (user: NatsUser): NatsPermissions => {
  const publish = [
    ...requestSubjects(user),
    ...PUBLISHERS.filter(publisher => publisher === user).map(wakeUpsOf),
    ...queueSubjects(user),
    ...(user === 'delivery-tracking' ? [returnPathArrivals('*')] : []),
    ...(user === 'operator' ? operatorSubjects() : [`${INBOXES}*.${RELEASE_ANSWERS}.${user}.*`]),
    ...(user === 'operator' ? [] : [changesOf(user)]),
    // Before its upgrade a service asks which releases run beside it.
    releaseQueriesOf('*'),
  ];
  const isServer = ALL_REQUESTS.some(({ service }) => service === user);
  const subscribe = [
    `${inboxPrefixOf(user)}.>`,
    // The second word is the queue group, without which a service would see the requests of its other replicas too.
    ...(isServer ? [`postern.requests.${user}.* ${user}`] : []),
    ...wakeUpSubjects(user),
    ...(user === 'api-gateway' ? [changesOf('*')] : []),
    ...(user === 'operator' ? [returnPathArrivals('*')] : [releaseQueriesOf(user)]),
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
