import type { NatsUser, ServiceName } from './service-name.js';

/** The prefix of every inbox; NATS stores no message below it. */
export const INBOXES = '_INBOX.';

/** The prefix of the inboxes of one user, which no other user may read. */
export const inboxPrefixOf = (user: NatsUser): string => `${INBOXES}${user}`;

/** The token in an inbox below which callers confirm that they have received a reply. */
export const CONFIRMATIONS = 'confirmations';

/** Where every process of a user says which release it runs. This is no request of a contract: it must outlive all of them. */
export const releaseQueriesOf = (user: NatsUser | '*'): string => `postern.releases.${user}`;

/** Below the inbox of a user: the answers of another one about its release. */
export const RELEASE_ANSWERS = 'releases';

/** The subjects on which a service says that there are new events. */
export const wakeUpsOf = (service: ServiceName): string => `postern.wake-ups.${service}.>`;

/** The JetStream stream in which requests wait for a service. */
export const queueNameOf = (service: ServiceName): string => `postern-${service}-queue`;

/** The durable consumer of the queue, which all replicas of the service share. */
export const QUEUE_CONSUMER = 'requests';

/** The subject of a request in the queue of its service. */
export const queueSubjectOf = ({ service, name }: { readonly service: ServiceName; readonly name: string }): string =>
  `postern.queue.${service}.${name}`;

/** The subjects that the queue of a service stores. */
export const queueSubjectsOf = (service: ServiceName): string => queueSubjectOf({ service, name: '*' });
