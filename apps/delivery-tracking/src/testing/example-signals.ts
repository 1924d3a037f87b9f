import type { Signal } from '../tracked-emails/signal.js';
import type { EmailFacts } from '../tracked-emails/tracked-email-state.js';

export const EMAIL_ID = '0195a1b2-0000-7000-8000-000000000001';
export const SERVICE_ID = '0195a1b2-0000-7000-8000-0000000000aa';
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** A time of the example: `at(3)` is three seconds after the message was accepted. */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 2, 1, 12) + seconds * 1_000).toISOString();

export const FACTS: EmailFacts = {
  email_id: EMAIL_ID,
  service_id: SERVICE_ID,
  mode: 'production',
  from: 'Shop <shop@example.com>',
  subject: 'Your receipt',
  recipients: [
    { index: 0, address: 'ada@x.test', role: 'to' },
    { index: 1, address: 'bob@x.test', role: 'cc' },
  ],
  message_id: `${EMAIL_ID}@example.com`,
  counts: true,
  accepted_at: at(0),
};

export type CopyOutcome = Extract<Signal, { kind: 'copy_retried' }>['data']['outcome'];

export const ADDRESSES = ['ada@x.test', 'bob@x.test'] as const;

/** The outcome of the hand-over of one recipient's copy. */
export const copy = (index: 0 | 1, change: Partial<CopyOutcome> = {}): CopyOutcome => ({
  index,
  address: ADDRESSES[index],
  result: 'accepted',
  smtp_response: '250 2.0.0 queued',
  relay: 'relay.test',
  relay_is_final: false,
  at: at(1),
  ...change,
});

export const accepted: Signal = { kind: 'accepted', data: FACTS };

export const handedOver = (...outcomes: readonly CopyOutcome[]): Signal => ({
  kind: 'handed_over',
  data: {
    email_id: EMAIL_ID,
    service_id: SERVICE_ID,
    status: 'sent',
    message: 'Handed over.',
    outcomes: [...outcomes],
  },
});

export const retried = (outcome: CopyOutcome): Signal => ({
  kind: 'copy_retried',
  data: { email_id: EMAIL_ID, service_id: SERVICE_ID, outcome },
});

type Notified = Extract<Signal, { kind: 'notified' }>;

export const notified = (
  action: Notified['status']['action'],
  { index = 0, ...change }: Partial<Notified['status']> & { index?: 0 | 1; at?: string } = {},
): Notified => ({
  kind: 'notified',
  index,
  at: change.at ?? at(10),
  status: {
    action,
    addresses: change.addresses ?? [ADDRESSES[index]],
    response: change.response ?? (action === 'failed' ? '550 5.1.1 no such user' : '250 2.0.0 stored'),
    bounceType: change.bounceType ?? 'hard',
  },
});

export const opened = (seconds: number, userAgent = BROWSER): Signal => ({
  kind: 'opened',
  data: { email_id: EMAIL_ID, recipient_index: 0, user_agent: userAgent, ip: '192.0.2.7', at: at(seconds) },
});

export const clicked = (seconds: number, url = 'https://example.com/a', userAgent = BROWSER): Signal => ({
  kind: 'clicked',
  data: { email_id: EMAIL_ID, recipient_index: 0, user_agent: userAgent, ip: '192.0.2.7', at: at(seconds), url },
});

export const complained: Signal = { kind: 'complained', index: 0, source: 'abuse FeedbackLoop/1', at: at(3_600) };
