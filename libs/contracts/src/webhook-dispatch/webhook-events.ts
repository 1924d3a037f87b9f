import { z } from 'zod';
import {
  emailBounced,
  emailClicked,
  emailComplained,
  emailDelivered,
  emailOpened,
} from '../delivery-tracking/events.js';
import { id, timestamp } from '../shapes.js';
import type { OutcomeKind } from './requests.js';

const test = z.literal(true).optional().describe('Present in a test event, which belongs to no message.');

const eventOf = <Kind extends OutcomeKind, Data extends z.ZodObject>(kind: Kind, when: string, data: Data) =>
  z
    .object({
      event: z.literal(kind).describe(`Always \`${kind}\`.`),
      email_id: id.describe('Id of the message, as `POST /emails` returned it.'),
      service_id: id.describe('The email service that sent the message.'),
      to: z.string().describe('The recipient that the event is about.'),
      from: z.string().describe('The From address of the message.'),
      subject: z.string().describe('The subject of the message.'),
      timestamp: timestamp.describe('When it happened. `email_id`, `event` and `timestamp` identify a duplicate.'),
      data: data.extend({ test }).describe('What depends on the kind of event.'),
    })
    .describe(when);

/** The bodies that endpoints receive, as the documentation and client libraries describe them. */
export const deliveredEvent = eventOf(
  'delivered',
  'The receiving server accepted the message.',
  emailDelivered.data.shape.data,
);
export const bouncedEvent = eventOf(
  'bounced',
  'The receiving server rejected the message.',
  emailBounced.data.shape.data,
);
export const complainedEvent = eventOf(
  'complained',
  'The recipient marked the message as spam.',
  emailComplained.data.shape.data,
);
export const openedEvent = eventOf('opened', 'The recipient opened the message.', emailOpened.data.shape.data);
export const clickedEvent = eventOf('clicked', 'The recipient followed a link.', emailClicked.data.shape.data);

export const WEBHOOK_EVENTS = {
  delivered: deliveredEvent,
  bounced: bouncedEvent,
  complained: complainedEvent,
  opened: openedEvent,
  clicked: clickedEvent,
} as const satisfies Record<OutcomeKind, z.ZodObject>;

const exampleOf = (event: OutcomeKind, data: object) => ({
  event,
  email_id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
  service_id: '0198d390-2b3c-7d4e-9f5a-6b7c8d9e0f00',
  to: 'grace@example.org',
  from: 'Ada <ada@example.com>',
  subject: 'Your receipt',
  timestamp: '2030-01-02T03:04:05.678Z',
  data,
});

export const WEBHOOK_EVENT_EXAMPLES: Readonly<Record<OutcomeKind, object>> = {
  delivered: exampleOf('delivered', { smtp_response: '250 2.0.0 OK' }),
  bounced: exampleOf('bounced', { bounce_type: 'hard', reason: '550 5.1.1 No such user here' }),
  complained: exampleOf('complained', { source: 'abuse FeedbackLoop/1.0' }),
  opened: exampleOf('opened', { user_agent: 'Mozilla/5.0', ip: '192.0.2.1' }),
  clicked: exampleOf('clicked', { url: 'https://example.com/orders/1234' }),
};
