import { z } from 'zod';
import { eventsOf } from '../event.js';
import { id, timestamp } from '../shapes.js';
import { emailMode } from './emails.js';

const event = eventsOf('email-send');

export const recipientRole = z.enum(['to', 'cc', 'bcc']);

/** A recipient of one message. Return paths and tracking links carry its `index`. */
export const recipient = z.object({ index: z.int().min(0).max(49), address: z.string(), role: recipientRole });

/** The message is stored and will be handed to the relay now. */
export const emailAccepted = event(
  'email-accepted.v1',
  z.object({
    email_id: id,
    service_id: id,
    workspace_id: id,
    mode: emailMode,
    from: z.string(),
    subject: z.string(),
    recipients: z.array(recipient).min(1),
    message_id: z.string().describe('The Message-ID header, without angle brackets.'),
    counts: z.boolean().describe('False for mail to the simulator only: outside quota and statistics.'),
    counts_on_shared_sender: z
      .boolean()
      .optional()
      .describe('Whether it counts against the daily cap of the shared sender; absent if not.'),
    tags: z.record(z.string(), z.string()).optional().describe('Absent if the message has none.'),
    accepted_at: timestamp,
  }),
);

/** The result of one copy, decided by the relay or by this service. */
export const copyOutcome = z.object({
  index: z.int().min(0).max(49),
  address: z.string(),
  result: z
    .enum(['accepted', 'refused', 'deferred', 'suppressed', 'expired', 'unknown'])
    .describe(
      'accepted: taken by the relay. refused: 5xx, final. deferred: 4xx, tried again later. suppressed: never handed over. ' +
        'expired: deferred until its deadline. unknown: the connection or the process ended before the relay responded; never repeated.',
    ),
  smtp_response: z.string(),
  relay: z.string().nullable(),
  relay_is_final: z.boolean().describe('The operator says that the 250 of this relay is delivery.'),
  at: timestamp,
});

/** The hand-over of the whole message: the answer that the client got. */
export const emailHandedOver = event(
  'email-handed-over.v1',
  z.object({
    email_id: id,
    service_id: id,
    status: z.enum(['sent', 'failed']),
    message: z.string(),
    outcomes: z.array(copyOutcome),
  }),
);

/** A deferred copy was retried in the background. */
export const emailCopyRetried = event(
  'email-copy-retried.v1',
  z.object({ email_id: id, service_id: id, outcome: copyOutcome }),
);

/** Nothing was handed over, and the client was asked to retry (503). This is final for the message. */
export const emailNotHandedOver = event(
  'email-not-handed-over.v1',
  z.object({ email_id: id, service_id: id, reason: z.string(), at: timestamp }),
);

/** The process died between hand-over and answer; what the relay accepted is unknown, and nothing is sent again. */
export const emailInterrupted = event(
  'email-interrupted.v1',
  z.object({ email_id: id, service_id: id, at: timestamp }),
);

export const emailServiceCreated = event(
  'email-service-created.v1',
  z.object({ service_id: id, workspace_id: id, name: z.string(), at: timestamp }),
);

/** The service was deleted; its data is deleted within a day. The event is kept and contains no personal data. */
export const emailServiceDeleted = event(
  'email-service-deleted.v1',
  z.object({ service_id: id, workspace_id: id, at: timestamp }),
);

/** The events of a message in email-send, which delivery-tracking consumes. */
export const TRACKED_EMAIL_EVENTS = [
  emailAccepted,
  emailHandedOver,
  emailCopyRetried,
  emailNotHandedOver,
  emailInterrupted,
] as const;

export const EMAIL_SEND_EVENTS = [...TRACKED_EMAIL_EVENTS, emailServiceCreated, emailServiceDeleted] as const;
