import type { emailCounts, recipientState, trackedEmail } from '@postern/contracts';
import type { z } from 'zod';
import {
  CLICKS_RECOGNISED_AS_MACHINE,
  COPY_RETRIED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTIFICATION_MISSED,
  type TrackedEmailEvent,
} from '../domain/tracked-email-events.js';

type TrackedEmailReply = z.output<typeof trackedEmail>;
type RecipientState = z.output<typeof recipientState>;
export type EmailCounts = z.output<typeof emailCounts>;

/** One recipient as the row keeps it: what is known, from which the state that is shown follows. */
export interface RecipientRow {
  readonly index: number;
  readonly address: string;
  readonly role: 'to' | 'cc' | 'bcc';
  copy: 'pending' | 'taken' | 'deferred' | 'failed' | 'unknown' | 'not_sent';
  copy_reason: string | null;
  missed: string | null;
  delivered: boolean;
  bounced: 'hard' | 'soft' | null;
  bounce_reason: string | null;
  complaint: string | null;
  opened_at: string | null;
  clicked_at: string | null;
  clicks: number;
  machine_opens: number;
  machine_clicks: number;
}

/** One email as the read model keeps it. */
export interface TrackedEmailRow {
  readonly id: string;
  readonly service_id: string;
  status: TrackedEmailReply['status'];
  readonly mode: TrackedEmailReply['mode'];
  readonly sender: string;
  readonly subject: string;
  readonly accepted_at: string;
  readonly counts: boolean;
  readonly recipients: RecipientRow[];
}

/** Folds one event into its email's row; undefined while the email is not known, which the first event ends. */
export function applyToRow(row: TrackedEmailRow | undefined, event: TrackedEmailEvent): TrackedEmailRow | undefined {
  if (event.type === EMAIL_TRACKED) return rowOf(event.data);
  if (!row) return undefined;
  switch (event.type) {
    case HAND_OVER_RECORDED:
      row.status = event.data.status;
      for (const told of event.data.outcomes) afterTry(row, told);
      return row;
    case COPY_RETRIED:
      afterTry(row, event.data.outcome);
      return row;
    case HAND_OVER_FAILED:
    case HAND_OVER_INTERRUPTED: {
      const interrupted = event.type === HAND_OVER_INTERRUPTED;
      row.status = 'failed';
      for (const recipient of row.recipients) {
        recipient.copy = interrupted ? 'unknown' : 'not_sent';
        recipient.copy_reason = interrupted ? 'interrupted: outcome unknown' : event.data.reason;
      }
      return row;
    }
    default:
      break;
  }
  const recipient = row.recipients.find(({ index }) => index === event.data.recipient_index);
  if (recipient) afterNews(recipient, event);
  return row;
}

function rowOf(facts: Extract<TrackedEmailEvent, { type: typeof EMAIL_TRACKED }>['data']): TrackedEmailRow {
  const { email_id, service_id, mode, from, subject, accepted_at, counts, recipients } = facts;
  return {
    id: email_id,
    service_id,
    status: 'accepted',
    mode,
    sender: from,
    subject,
    accepted_at,
    counts,
    recipients: recipients.map(recipient => ({
      ...recipient,
      copy: 'pending',
      copy_reason: null,
      missed: null,
      delivered: false,
      bounced: null,
      bounce_reason: null,
      complaint: null,
      opened_at: null,
      clicked_at: null,
      clicks: 0,
      machine_opens: 0,
      machine_clicks: 0,
    })),
  };
}

const COPY_AFTER = {
  accepted: 'taken',
  deferred: 'deferred',
  unknown: 'unknown',
  refused: 'failed',
  suppressed: 'failed',
  expired: 'failed',
} as const;

/** News of an earlier try may come late; a try that was put off never undoes one that was not. */
function afterTry(
  { recipients }: TrackedEmailRow,
  told: { readonly index: number; readonly result: keyof typeof COPY_AFTER; readonly smtp_response: string },
): void {
  const recipient = recipients.find(({ index }) => index === told.index);
  if (!recipient || (told.result === 'deferred' && recipient.copy !== 'pending' && recipient.copy !== 'deferred'))
    return;
  recipient.copy = COPY_AFTER[told.result];
  recipient.copy_reason = told.smtp_response;
}

function afterNews(recipient: RecipientRow, event: Extract<TrackedEmailEvent, { data: { recipient_index: number } }>) {
  switch (event.type) {
    case NOTIFICATION_MISSED:
      recipient.missed = event.data.reason;
      return;
    case CLICKS_RECOGNISED_AS_MACHINE:
      recipient.machine_clicks += recipient.clicks;
      recipient.clicks = 0;
      recipient.clicked_at = null;
      return;
    case 'delivery-tracking.email-delivered.v1':
      recipient.delivered = true;
      return;
    case 'delivery-tracking.email-bounced.v1':
      recipient.bounced = event.data.data.bounce_type;
      recipient.bounce_reason = event.data.data.reason;
      return;
    case 'delivery-tracking.email-complained.v1':
      recipient.complaint = event.data.data.source;
      return;
    case 'delivery-tracking.email-opened.v1':
      if (event.data.data.machine) recipient.machine_opens += 1;
      else recipient.opened_at ??= event.data.timestamp;
      return;
    case 'delivery-tracking.email-clicked.v1':
      if (event.data.data.machine) recipient.machine_clicks += 1;
      else {
        recipient.clicks += 1;
        recipient.clicked_at ??= event.data.timestamp;
      }
      return;
    default:
      return;
  }
}

/** The state that is shown, and why; the weightiest news wins, in whichever order it came. */
export function stateOf(recipient: RecipientRow): { readonly state: RecipientState; readonly reason: string | null } {
  if (recipient.complaint !== null) return { state: 'complained', reason: recipient.complaint };
  if (recipient.bounced) return { state: 'bounced', reason: recipient.bounce_reason };
  if (recipient.delivered) return { state: 'delivered', reason: null };
  if (recipient.copy === 'not_sent') return { state: 'not_sent', reason: recipient.copy_reason };
  if (recipient.missed !== null) return { state: 'unknown', reason: recipient.missed };
  if (recipient.copy === 'unknown') return { state: 'unknown', reason: recipient.copy_reason };
  if (recipient.copy === 'deferred') return { state: 'deferred', reason: recipient.copy_reason };
  return { state: recipient.copy === 'taken' ? 'handed_over' : 'pending', reason: null };
}

/** Whether some copy still waits for an outcome that has a deadline. */
export const isWaiting = (row: TrackedEmailRow): boolean =>
  row.recipients.some(
    recipient =>
      recipient.missed === null &&
      recipient.complaint === null &&
      !recipient.bounced &&
      !recipient.delivered &&
      recipient.copy !== 'not_sent',
  );

/** The row as callers see it. */
export const shownEmail = (row: TrackedEmailRow): TrackedEmailReply => ({
  id: row.id,
  status: row.status,
  mode: row.mode,
  from: row.sender,
  subject: row.subject,
  recipients: row.recipients.map(recipient => ({
    index: recipient.index,
    address: recipient.address,
    role: recipient.role,
    ...stateOf(recipient),
    opened_at: recipient.opened_at,
    clicked_at: recipient.clicked_at,
  })),
  accepted_at: row.accepted_at,
});

const sum = (row: TrackedEmailRow, amount: (recipient: RecipientRow) => number | boolean): number =>
  row.recipients.reduce((total, recipient) => total + Number(amount(recipient)), 0);

/** What an email adds to the counts of its service and day, recipient by recipient. */
export const countsOf = (row: TrackedEmailRow): EmailCounts => ({
  accepted: row.recipients.length,
  sent: sum(row, ({ copy }) => copy === 'taken'),
  failed: sum(row, ({ copy }) => copy === 'failed' || copy === 'not_sent'),
  delivered: sum(row, ({ delivered }) => delivered),
  bounced_hard: sum(row, ({ bounced }) => bounced === 'hard'),
  bounced_soft: sum(row, ({ bounced }) => bounced === 'soft'),
  complained: sum(row, ({ complaint }) => complaint !== null),
  opened: sum(row, ({ opened_at }) => opened_at !== null),
  clicked: sum(row, ({ clicked_at }) => clicked_at !== null),
  machine_opens: sum(row, ({ machine_opens }) => machine_opens),
  machine_clicks: sum(row, ({ machine_clicks }) => machine_clicks),
});
