import { randomUUID } from 'node:crypto';
import { type DataOf, emailAccepted, emailDelivered, emailHandedOver } from '@postern/contracts';
import type { DomainEvent } from '@postern/event-sourcing';

const SERVICE_ID = randomUUID();
const WORKSPACE_ID = randomUUID();

export interface SampleEmail {
  readonly email_id: string;
  readonly events: readonly DomainEvent[];
}

/** A message to one recipient, with its two events as email-send publishes them. */
export const acceptedAndHandedOver = (): SampleEmail => {
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
  const events = [
    { type: emailAccepted.type, data: accepted },
    { type: emailHandedOver.type, data: handedOver },
  ];
  return { email_id: emailId, events };
};

/** A report about a message, as delivery-tracking stores it. */
export const deliveredTo = ({ email_id }: SampleEmail): DomainEvent => {
  const data: DataOf<typeof emailDelivered> = {
    email_id,
    service_id: SERVICE_ID,
    recipient_index: 0,
    to: 'ada@customers.test',
    from: 'Shop <orders@example.com>',
    subject: 'Your receipt for order 4711',
    timestamp: new Date().toISOString(),
    counts: true,
    data: { smtp_response: '250 2.0.0 OK' },
  };
  return { type: emailDelivered.type, data };
};
