import { randomUUID } from 'node:crypto';
import { type DataOf, emailAccepted, emailHandedOver } from '@postern/contracts';
import type { DomainEvent } from '@postern/event-sourcing';

const SERVICE_ID = randomUUID();
const WORKSPACE_ID = randomUUID();

/** The two events of a message to one recipient, as email-send publishes them. */
export const acceptedAndHandedOver = (): [DomainEvent, DomainEvent] => {
  const emailId = randomUUID();
  const at = new Date().toISOString();
  const accepted: DataOf<typeof emailAccepted> = {
    email_id: emailId,
    service_id: SERVICE_ID,
    workspace_id: WORKSPACE_ID,
    mode: 'production',
    from: 'Shop <orders@example.com>',
    subject: 'Your receipt for order 4711',
    recipients: [{ index: 0, address: 'ada@customers.test', role: 'to' }],
    message_id: `${emailId}@example.com`,
    counts: true,
    accepted_at: at,
  };
  const handedOver: DataOf<typeof emailHandedOver> = {
    email_id: emailId,
    service_id: SERVICE_ID,
    status: 'sent',
    message: 'Handed over to the relay.',
    outcomes: [
      {
        index: 0,
        address: 'ada@customers.test',
        result: 'accepted',
        smtp_response: '250 2.0.0 Ok: queued',
        relay: '127.0.0.1:2525',
        relay_is_final: false,
        at,
      },
    ],
  };
  return [
    { type: emailAccepted.type, data: accepted },
    { type: emailHandedOver.type, data: handedOver },
  ];
};

/** The same as delivery-tracking stores it. */
export const asTracked = ([accepted, handedOver]: readonly [DomainEvent, DomainEvent]): DomainEvent[] => [
  { type: 'delivery-tracking.email-tracked.v1', data: accepted.data },
  { type: 'delivery-tracking.hand-over-recorded.v1', data: handedOver.data },
];
