import {
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
} from './email-send/events.js';
import type { EventContract } from './event.js';
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

/** Shows that a message with an unknown outcome was sent. */
export const outcomeEvidenceConsumer = consumerOf('email-send', 'email-send-evidence', OUTCOME_EVENTS);

/** Counts bounces and complaints for the daily quota. */
export const reportCountsConsumer = consumerOf('email-send', 'email-send-reports', [emailBounced, emailComplained]);

/** Copies the suppression lists. */
export const suppressionsConsumer = consumerOf('email-send', 'suppressions', [addressSuppressed, suppressionLifted]);

/** Queues the deliveries of webhooks. */
export const deliveriesConsumer = consumerOf('webhook-dispatch', 'deliveries', OUTCOME_EVENTS);
