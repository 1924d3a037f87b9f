import {
  addressListed,
  addressSuppressed,
  emailBounced,
  emailComplained,
  OUTCOME_EVENTS,
  suppressionLifted,
} from './delivery-tracking/events.js';
import {
  emailAccepted,
  emailCopyRetried,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
  emailServiceDeleted,
} from './email-send/events.js';
import type { EventContract } from './event.js';
import { ACCOUNT_EVENTS, OWNER_MAIL_EVENTS, workspaceDeleted } from './platform-management/events.js';
import type { ServiceName } from './service-name.js';

/** Events that a service takes under one position in each stream, which all its replicas share. */
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

/** The name of the durable consumer in a stream. */
export const durableName = (service: string, consumer: string): string => `${service}-${consumer}`;

/** Starts the tracking of each message. */
export const trackedEmailsConsumer = consumerOf('delivery-tracking', 'delivery-tracking', [
  emailAccepted,
  emailHandedOver,
  emailCopyRetried,
  emailNotHandedOver,
  emailInterrupted,
]);

/** Deletes what delivery-tracking stores of deleted email services. */
export const untrackedServicesConsumer = consumerOf('delivery-tracking', 'deleted-services', [emailServiceDeleted]);

/** Stops the webhooks of deleted email services, and deletes their deliveries. */
export const silencedServicesConsumer = consumerOf('webhook-dispatch', 'deleted-services', [emailServiceDeleted]);

/** Shows that a message with an unknown outcome was sent. */
export const outcomeEvidenceConsumer = consumerOf('email-send', 'email-send-evidence', OUTCOME_EVENTS);

/** Counts bounces and complaints for the daily quota. */
export const reportCountsConsumer = consumerOf('email-send', 'email-send-reports', [emailBounced, emailComplained]);

/** Copies the suppression lists. */
export const suppressionsConsumer = consumerOf('email-send', 'suppressions', [
  addressSuppressed,
  addressListed,
  suppressionLifted,
]);

/** Queues the deliveries of webhooks. */
export const deliveriesConsumer = consumerOf('webhook-dispatch', 'deliveries', OUTCOME_EVENTS);

/** Mails users about changes of their accounts, and links to invitations and new passwords. */
export const accountMailConsumer = consumerOf('email-send', 'account-mail', ACCOUNT_EVENTS);

/** Mails the owners of a workspace about its web services and databases. */
export const ownerMailConsumer = consumerOf('email-send', 'owner-mail', OWNER_MAIL_EVENTS);

/** Closes deleted workspaces for good: no email service is created in them. */
export const deletedWorkspacesConsumer = consumerOf('email-send', 'deleted-workspaces', [workspaceDeleted]);
