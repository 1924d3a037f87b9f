import { OUTCOME_EVENTS, SUPPRESSION_EVENTS, serviceTrackingEnded } from './delivery-tracking/events.js';
import { emailServiceDeleted, TRACKED_EMAIL_EVENTS } from './email-send/events.js';
import type { EventContract } from './event.js';
import { ACCOUNT_EVENTS, NOTIFIED_EVENTS, workspaceDeleted } from './platform-management/events.js';
import type { ServiceName } from './service-name.js';

/**
 * Events that a service reads from the logs of other services, with one position in each, which all its replicas share.
 * Several handlers may handle parts of them.
 */
export interface EventConsumer<C extends EventContract = EventContract> {
  readonly service: ServiceName;
  readonly consumer: string;
  readonly contracts: readonly C[];
}

const consumerOf = <const C extends EventContract>(
  service: ServiceName,
  consumer: string,
  contracts: readonly C[],
): EventConsumer<C> => ({ service, consumer, contracts });

/** Whether an export of this library is an event consumer. */
export const isEventConsumer = (value: unknown): value is EventConsumer =>
  typeof value === 'object' && value !== null && 'consumer' in value && 'contracts' in value;

/** The name of a consumer in the databases of both services. */
export const consumerName = (service: string, consumer: string): string => `${service}-${consumer}`;

/** Tracks each message, and deletes the data of deleted email services. */
export const emailsConsumer = consumerOf('delivery-tracking', 'emails', [...TRACKED_EMAIL_EVENTS, emailServiceDeleted]);

/** Resolves unknown outcomes, counts bounces and complaints for the daily quota, and copies the suppression lists. */
export const trackingConsumer = consumerOf('email-send', 'tracking', [...OUTCOME_EVENTS, ...SUPPRESSION_EVENTS]);

/** Queues the deliveries of webhooks; stops the webhooks of deleted email services, and deletes their deliveries. */
export const deliveriesConsumer = consumerOf('webhook-dispatch', 'deliveries', [
  ...OUTCOME_EVENTS,
  serviceTrackingEnded,
]);

/** Mails users about changes of their accounts, and links to invitations and new passwords. */
export const accountMailConsumer = consumerOf('email-send', 'account-mail', ACCOUNT_EVENTS);

/** Mails the owners of a workspace about its web services and databases, and has its notification targets told. */
export const ownerMailConsumer = consumerOf('email-send', 'owner-mail', NOTIFIED_EVENTS);

/** Closes deleted workspaces permanently: no email service is created in them. */
export const deletedWorkspacesConsumer = consumerOf('email-send', 'deleted-workspaces', [workspaceDeleted]);

/** Every consumer of every service. */
export const EVENT_CONSUMERS: readonly EventConsumer[] = [
  emailsConsumer,
  trackingConsumer,
  deliveriesConsumer,
  accountMailConsumer,
  ownerMailConsumer,
  deletedWorkspacesConsumer,
];
