import type { Observation, ObservedTraffic, Visit, WebhookCall } from '../observed-traffic.js';

const copy = (word: string) => ({
  at: 1_050,
  emailId: `id-of-${word}`,
  marker: `m000001x${word}`,
  recipient: `delivered.m000001x${word}.0@mailboxes.test`,
});
const opened: Visit = {
  kind: 'opened',
  emailId: 'id-of-a',
  recipient: copy('a').recipient,
  at: 2_000,
  answered: true,
};

/** Parts of the example that the specs use. */
export const example = { delivered: { copy: copy('a') }, unanswered: { copy: copy('b') }, opened };

const call = (event: string): WebhookCall => ({
  at: 3_000,
  event,
  emailId: 'id-of-a',
  recipient: copy('a').recipient,
  machine: false,
  unsigned: null,
  accepted: true,
});

const listed = ({ emailId, marker, recipient }: ReturnType<typeof copy>, state: string) => ({
  id: emailId,
  status: 'sent',
  subject: `Message ${marker}`,
  recipients: [{ address: recipient, state, reason: null, opened_at: null, clicked_at: null }],
});

const record = (id: string) => ({ status: 200, record: { id, status: 'sent', message: '' } });

/**
 * A small consistent run: `a` was delivered and opened; `b` was sent over a connection that broke before the client got its
 * response, and no report about it was sent.
 */
export const exampleOf = (): { traffic: ObservedTraffic; observation: Observation } => {
  const [a, b] = [copy('a'), copy('b')];
  const attempt = { startedAt: 1_000, endedAt: 1_100, emailId: null, error: null };
  return {
    traffic: {
      requests: [
        {
          marker: a.marker,
          recipients: [a.recipient],
          keyed: true,
          attempts: [{ ...attempt, status: 200, record: { id: a.emailId, status: 'sent', message: '' } }],
        },
        {
          marker: b.marker,
          recipients: [b.recipient],
          keyed: false,
          attempts: [{ ...attempt, status: null, record: null }],
        },
      ],
      taken: [a, b],
      refused: [],
      reports: [{ kind: 'delivered', emailId: a.emailId, recipient: a.recipient, takenAt: 1_500, refusedWith: null }],
      visits: [opened],
      calls: [call('delivered'), call('opened')],
      restored: [],
    },
    observation: {
      records: new Map([
        [a.emailId, record(a.emailId)],
        [b.emailId, record(b.emailId)],
      ]),
      listed: [listed(a, 'delivered'), listed(b, 'handed_over')],
      totals: { accepted: 2, sent: 2, failed: 0, unknown: 0, delivered: 1, opened: 1 },
      scheduled: new Set(),
    },
  };
};
