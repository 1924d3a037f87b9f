import type { EnvelopeOf, OUTCOME_EVENTS, OutcomeKind } from '@postern/contracts';

export type DeliveryEventEnvelope = EnvelopeOf<(typeof OUTCOME_EVENTS)[number]>;

const KINDS: Record<DeliveryEventEnvelope['type'], OutcomeKind> = {
  'delivery-tracking.email-delivered.v1': 'delivered',
  'delivery-tracking.email-bounced.v1': 'bounced',
  'delivery-tracking.email-complained.v1': 'complained',
  'delivery-tracking.email-opened.v1': 'opened',
  'delivery-tracking.email-clicked.v1': 'clicked',
};

/** The public kind of an event. */
export const kindOf = ({ type }: Pick<DeliveryEventEnvelope, 'type'>): OutcomeKind => KINDS[type];

/** The exact body that every attempt sends and signs. Its fields and their order are a public contract. */
export const payloadOf = (envelope: DeliveryEventEnvelope): string => {
  const { email_id, service_id, to, from, subject, timestamp, data } = envelope.data;
  return JSON.stringify({ event: kindOf(envelope), email_id, service_id, to, from, subject, timestamp, data });
};

const NO_EMAIL = '00000000-0000-0000-0000-000000000000';

const TEST_DATA: Record<OutcomeKind, object> = {
  delivered: { smtp_response: '250 2.0.0 OK' },
  bounced: { bounce_type: 'hard', reason: '550 5.1.1 No such user here' },
  complained: { source: 'abuse test' },
  opened: { user_agent: 'Mozilla/5.0 (test)', ip: '192.0.2.1' },
  clicked: { url: 'https://example.com/' },
};

/** The payload of a test event, which belongs to no message. */
export const testPayload = (event: OutcomeKind, serviceId: string, timestamp: string): string =>
  JSON.stringify({
    event,
    email_id: NO_EMAIL,
    service_id: serviceId,
    to: 'recipient@example.com',
    from: 'sender@example.com',
    subject: 'Test event',
    timestamp,
    data: { ...TEST_DATA[event], test: true },
  });
