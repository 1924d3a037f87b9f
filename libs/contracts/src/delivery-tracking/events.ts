import { z } from 'zod';
import { eventsOf } from '../event.js';
import { id, timestamp } from '../shapes.js';

const event = eventsOf('delivery-tracking');

/** The fields of every outcome: those of the webhook payload, and the recipient's index in the message. */
const outcomeOf = <Data extends z.ZodType>(data: Data) =>
  z.object({
    email_id: id,
    service_id: id,
    recipient_index: z.int().min(0).max(49),
    to: z.string(),
    from: z.string(),
    subject: z.string(),
    timestamp,
    counts: z.boolean().describe('False for mail to the simulator: outside quota and statistics.'),
    data,
  });

/** Set on opens and clicks by machines, such as mail proxies and link scanners; the rates do not count them. */
const machine = { machine: z.literal(true).optional(), machine_reason: z.string().optional() };

export const emailDelivered = event('email-delivered.v1', outcomeOf(z.object({ smtp_response: z.string() })));

export const emailBounced = event(
  'email-bounced.v1',
  outcomeOf(z.object({ bounce_type: z.enum(['hard', 'soft']), reason: z.string() })),
);

export const emailComplained = event('email-complained.v1', outcomeOf(z.object({ source: z.string() })));

export const emailOpened = event(
  'email-opened.v1',
  outcomeOf(z.object({ user_agent: z.string(), ip: z.string(), ...machine })),
);

export const emailClicked = event('email-clicked.v1', outcomeOf(z.object({ url: z.string(), ...machine })));

export const addressSuppressed = event(
  'address-suppressed.v1',
  z.object({
    service_id: id,
    address: z.string().describe('Lower case.'),
    reason: z.enum(['hard_bounce', 'complaint']),
    email_id: id,
    at: timestamp,
  }),
);

export const suppressionLifted = event(
  'suppression-lifted.v1',
  z.object({ service_id: id, address: z.string(), at: timestamp }),
);

/** The five outcomes that webhooks deliver. */
export const OUTCOME_EVENTS = [emailDelivered, emailBounced, emailComplained, emailOpened, emailClicked] as const;

export const DELIVERY_TRACKING_EVENTS = [...OUTCOME_EVENTS, addressSuppressed, suppressionLifted] as const;
