import type { NatsUser, ServiceName } from './service-name.js';

/** Below it are the inboxes of one user, which nobody else may read. */
export const inboxPrefixOf = (user: NatsUser): string => `_INBOX.${user}`;

/** The token in an inbox below which callers confirm that they have received a reply. */
export const CONFIRMATIONS = 'confirmations';

/** The JetStream stream of a service. */
export const streamNameOf = (service: ServiceName): string => `postern-${service}`;

/** The subjects that the stream of a service stores. */
export const streamSubjectOf = (service: ServiceName): string => `postern.events.${service}.>`;
