import type { listEmails, ReplyOf } from '@postern/contracts';
import { followedEvents, type HandOverStep } from './hand-over-steps.js';
import { isAwaited, type RecipientRow, recipientRow, resultOf, resultOfAll, stateOf } from './recipient-row.js';
import {
  BOUNCE_RECLASSIFIED,
  CLICKS_RECOGNISED_AS_MACHINE,
  COPY_RETRIED,
  EMAIL_TRACKED,
  type FollowedEvent,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTICE_NOT_UNDERSTOOD,
  NOTIFICATION_MISSED,
  RECIPIENT_UNSUBSCRIBED,
  type TrackedEmailEvent,
} from './tracked-email-events.js';

type TrackedEmailReply = ReplyOf<typeof listEmails>['items'][number];

/** One email in the read model. */
export interface TrackedEmailRow {
  readonly id: string;
  readonly service_id: string;
  /** The answer to the client; `replyOf` combines it with later reports. */
  status: TrackedEmailReply['status'];
  readonly mode: TrackedEmailReply['mode'];
  readonly sender: string;
  readonly subject: string;
  readonly accepted_at: string;
  readonly counts: boolean;
  /** `name:value`; null without tags. */
  readonly tags: readonly string[] | null;
  readonly message_id: string | null;
  readonly recipients: RecipientRow[];
}

/** A row with what email-send said about the email. */
export interface FollowedRow extends TrackedEmailRow {
  readonly hand_over: readonly HandOverStep[];
  /** The trace in which the email was sent. */
  readonly traceparent: string | null;
}

/** What email-send said about an email, in the form of the fold. */
export const eventsOfRow = (row: FollowedRow): FollowedEvent[] =>
  followedEvents(
    {
      email_id: row.id,
      service_id: row.service_id,
      mode: row.mode,
      from: row.sender,
      subject: row.subject,
      recipients: row.recipients.map(({ index, address, role }) => ({ index, address, role })),
      message_id: row.message_id ?? '',
      counts: row.counts,
      ...(row.tags === null ? {} : { tags: Object.fromEntries(row.tags.map(splitTag)) }),
      accepted_at: row.accepted_at,
    },
    row.hand_over,
  );

/** Applies one event to its email's row. Returns undefined before the first event, which makes the email known. */
export function applyToRow(row: TrackedEmailRow | undefined, event: TrackedEmailEvent): TrackedEmailRow | undefined {
  if (event.type === EMAIL_TRACKED) return rowOf(event.data);
  if (!row) return undefined;
  switch (event.type) {
    case HAND_OVER_RECORDED:
      row.status = event.data.status;
      for (const recipient of row.recipients) if (recipient.interrupted) reopen(recipient);
      for (const handOver of event.data.outcomes) afterHandOver(row, handOver);
      return row;
    case COPY_RETRIED:
      afterHandOver(row, event.data.outcome);
      return row;
    case HAND_OVER_FAILED:
      row.status = 'failed';
      for (const recipient of row.recipients) {
        if (recipient.interrupted) reopen(recipient);
        if (isUnderWay(recipient)) Object.assign(recipient, { copy: 'not_sent', copy_reason: event.data.reason });
      }
      return row;
    case HAND_OVER_INTERRUPTED:
      row.status = 'failed';
      for (const recipient of row.recipients)
        if (isUnderWay(recipient))
          Object.assign(recipient, { copy: 'unknown', copy_reason: INTERRUPTED, interrupted: true });
      return row;
    default:
      break;
  }
  // None changes the state: if the type of a bounce changes, the bounce is published again.
  if (
    event.type === NOTICE_NOT_UNDERSTOOD ||
    event.type === BOUNCE_RECLASSIFIED ||
    event.type === RECIPIENT_UNSUBSCRIBED
  )
    return row;
  const recipient = row.recipients.find(({ index }) => index === event.data.recipient_index);
  if (recipient) afterRecipientEvent(recipient, event);
  return row;
}

function rowOf(facts: Extract<TrackedEmailEvent, { type: typeof EMAIL_TRACKED }>['data']): TrackedEmailRow {
  const { email_id, service_id, mode, from, subject, accepted_at, counts, tags, message_id, recipients } = facts;
  return {
    id: email_id,
    service_id,
    status: 'accepted',
    mode,
    sender: from,
    subject,
    accepted_at,
    counts,
    tags: tags === undefined ? null : Object.entries(tags).map(tag => tag.join(':')),
    message_id,
    recipients: recipients.map(recipientRow),
  };
}

const INTERRUPTED = 'interrupted: outcome unknown';

const isUnderWay = ({ copy }: RecipientRow): boolean => copy === 'pending' || copy === 'deferred';

const reopen = (recipient: RecipientRow): void => {
  Object.assign(recipient, { copy: 'pending', copy_reason: null, interrupted: false });
};

const COPY_AFTER = {
  accepted: 'taken',
  deferred: 'deferred',
  unknown: 'unknown',
  refused: 'failed',
  suppressed: 'failed',
  expired: 'failed',
} as const;

/** Results can arrive late: a deferral never replaces a final result. */
function afterHandOver(
  { recipients }: TrackedEmailRow,
  handOver: { readonly index: number; readonly result: keyof typeof COPY_AFTER; readonly smtp_response: string },
): void {
  const recipient = recipients.find(({ index }) => index === handOver.index);
  if (!recipient || (handOver.result === 'deferred' && recipient.copy !== 'pending' && recipient.copy !== 'deferred'))
    return;
  recipient.copy = COPY_AFTER[handOver.result];
  recipient.interrupted = false;
  recipient.copy_reason = handOver.smtp_response;
}

function afterRecipientEvent(
  recipient: RecipientRow,
  event: Extract<TrackedEmailEvent, { data: { recipient_index: number } }>,
) {
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

/** Whether some copy still waits for a notification. */
export const isWaiting = (row: TrackedEmailRow): boolean => row.recipients.some(isAwaited);

/** `sent` as soon as anything proves that the relay accepted a copy. */
const statusOf = (row: TrackedEmailRow): TrackedEmailReply['status'] =>
  resultOfAll(row.recipients) === 'sent' ? 'sent' : row.status;

/** Names of tags contain no colon. */
const splitTag = (tag: string): [string, string] => {
  const colon = tag.indexOf(':');
  return [tag.slice(0, colon), tag.slice(colon + 1)];
};

/** The row as an API reply. */
export const replyOf = (row: TrackedEmailRow): TrackedEmailReply => ({
  id: row.id,
  status: statusOf(row),
  result: resultOfAll(row.recipients),
  mode: row.mode,
  from: row.sender,
  subject: row.subject,
  recipients: row.recipients.map(recipient => ({
    index: recipient.index,
    address: recipient.address,
    role: recipient.role,
    ...stateOf(recipient),
    result: resultOf(recipient),
    opened_at: recipient.opened_at,
    clicked_at: recipient.clicked_at,
  })),
  ...(row.tags === null ? {} : { tags: Object.fromEntries(row.tags.map(splitTag)) }),
  ...(row.message_id === null ? {} : { message_id: row.message_id }),
  accepted_at: row.accepted_at,
});

/** The recipients after the first one, as rows of the search of addresses. */
export const otherRecipients = ({ id, service_id, accepted_at, recipients }: TrackedEmailRow) =>
  recipients.slice(1).map(({ address }) => ({ service_id, address: address.toLowerCase(), accepted_at, email_id: id }));

/** The lower-case text that a search matches. */
export const searchText = ({
  subject,
  sender,
  recipients,
}: Pick<TrackedEmailRow, 'subject' | 'sender' | 'recipients'>): string =>
  [subject, sender, ...recipients.map(({ address }) => address)].join('\n').toLowerCase();
