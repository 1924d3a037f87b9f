import { z } from 'zod';
import { eventsOf } from '../event.js';
import { id, timestamp } from '../shapes.js';

const event = eventsOf('delivery-tracking');

/** The fields of every outcome: those of the webhook payload, and the recipient's index in the message. */
const outcomeOf = <Shape extends z.ZodRawShape>(data: z.ZodObject<Shape>) =>
  z.object({
    email_id: id,
    service_id: id,
    recipient_index: z.int().min(0).max(49),
    to: z.string(),
    from: z.string(),
    subject: z.string(),
    timestamp,
    counts: z.boolean().describe('False for mail to the simulator: outside quota and statistics.'),
    data: data.extend({
      tags: z.record(z.string(), z.string()).optional().describe('The tags of the message, if it has any.'),
    }),
  });

/** Set on opens and clicks by machines, such as mail proxies and link scanners; the rates do not count them. */
const machine = {
  machine: z.literal(true).optional().describe('Present if a program caused the event, such as a link scanner.'),
  machine_reason: z.string().optional().describe('Why the event is attributed to a program.'),
};

export const emailDelivered = event(
  'email-delivered.v1',
  outcomeOf(z.object({ smtp_response: z.string().describe('The response of the receiving server.') })),
);

/** The classification of a bounce by the rule table of `@postern/mail`; not part of the webhook payload. */
export const bounceClassification = z.object({
  name: z.string().describe('The cause in one word, such as unknown_user or reputation.'),
  rule: z.string().describe('The rule that decided.'),
  rules_version: z.int(),
  advice: z.string().describe('What happened and what to do, in one or two plain sentences.'),
});

export const emailBounced = event(
  'email-bounced.v1',
  outcomeOf(
    z.object({
      bounce_type: z
        .enum(['hard', 'soft'])
        .describe('`hard`: the address does not exist. `soft`: anything else, such as a full mailbox.'),
      reason: z.string().describe('Why the message was rejected, as the server states it.'),
    }),
  ).extend({
    classification: bounceClassification
      .optional()
      .describe('Absent if no server rejected the message: the address is suppressed, or the deadline passed.'),
  }),
);

export const emailComplained = event(
  'email-complained.v1',
  outcomeOf(z.object({ source: z.string().describe('The type of the feedback report, and who sent it.') })),
);

export const emailOpened = event(
  'email-opened.v1',
  outcomeOf(
    z.object({
      user_agent: z.string().describe('User agent of the mail program or its proxy.'),
      ip: z.string().describe('Address that loaded the tracking pixel.'),
      ...machine,
    }),
  ),
);

export const emailClicked = event(
  'email-clicked.v1',
  outcomeOf(z.object({ url: z.string().describe('The link that was followed.'), ...machine })),
);

export const addressSuppressed = event(
  'address-suppressed.v1',
  z.object({
    service_id: id,
    address: z.string().describe('Lower case.'),
    reason: z.enum(['hard_bounce', 'complaint', 'unsubscribed']),
    email_id: id,
    at: timestamp,
  }),
);

/** A user of the dashboard listed the address. */
export const addressListed = event(
  'address-listed.v1',
  z.object({ service_id: id, address: z.string().describe('Lower case.'), at: timestamp }),
);

export const suppressionLifted = event(
  'suppression-lifted.v1',
  z.object({ service_id: id, address: z.string(), at: timestamp }),
);

/**
 * An email service was deleted: later outcomes of its messages can be ignored. Published again each time that its data is
 * deleted.
 */
export const serviceTrackingEnded = event('service-tracking-ended.v1', z.object({ service_id: id, at: timestamp }));

/** The five outcomes that webhooks deliver. */
export const OUTCOME_EVENTS = [emailDelivered, emailBounced, emailComplained, emailOpened, emailClicked] as const;

/** The changes of suppression lists. */
export const SUPPRESSION_EVENTS = [addressSuppressed, addressListed, suppressionLifted] as const;

export const DELIVERY_TRACKING_EVENTS = [...OUTCOME_EVENTS, ...SUPPRESSION_EVENTS, serviceTrackingEnded] as const;
