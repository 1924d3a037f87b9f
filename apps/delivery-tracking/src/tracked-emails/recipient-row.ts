import type { listEmails, ReplyOf } from '@postern/contracts';

type RecipientReply = ReplyOf<typeof listEmails>['items'][number]['recipients'][number];
type RecipientState = RecipientReply['state'];
export type HandOverResult = NonNullable<RecipientReply['result']>;

/** One recipient in the read model: the known facts, from which result and state are derived. */
export interface RecipientRow {
  readonly index: number;
  readonly address: string;
  readonly role: 'to' | 'cc' | 'bcc';
  /** The reported hand-over; `resultOf` combines it with later reports. */
  copy: 'pending' | 'taken' | 'deferred' | 'failed' | 'unknown' | 'not_sent';
  copy_reason: string | null;
  /** The copy is `unknown` because its process died; a result reported later still counts. */
  interrupted: boolean;
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

/** A new recipient. */
export const recipientRow = (recipient: Pick<RecipientRow, 'index' | 'address' | 'role'>): RecipientRow => ({
  index: recipient.index,
  address: recipient.address,
  role: recipient.role,
  copy: 'pending',
  copy_reason: null,
  interrupted: false,
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
});

/** A person read the message, which proves delivery without a notification. */
const wasRead = ({ opened_at, clicked_at }: RecipientRow): boolean => opened_at !== null || clicked_at !== null;

/**
 * Whether the relay accepted the copy; `unknown` while it is being sent. Later reports decide where the hand-over is
 * open, and a delivery, complaint, open or click by a person overrides a refusal.
 */
export function resultOf(recipient: RecipientRow): HandOverResult {
  const { copy } = recipient;
  if (copy === 'taken' || recipient.delivered || recipient.complaint !== null || wasRead(recipient)) return 'sent';
  // The refusal is also published as a bounce, and a relay's scanner can follow links before it refuses.
  if (copy === 'failed') return 'failed';
  if (recipient.bounced || recipient.machine_opens > 0 || recipient.machine_clicks > 0) return 'sent';
  return copy === 'not_sent' ? 'retry_requested' : 'unknown';
}

/** The displayed state and its reason, by precedence and not by order of arrival. */
export function stateOf(recipient: RecipientRow): { readonly state: RecipientState; readonly reason: string | null } {
  const { copy, copy_reason, missed } = recipient;
  if (recipient.complaint !== null) return { state: 'complained', reason: recipient.complaint };
  if (recipient.bounced) return { state: 'bounced', reason: recipient.bounce_reason };
  if (recipient.delivered) return { state: 'delivered', reason: null };
  if (wasRead(recipient))
    return { state: 'delivered', reason: 'read by the recipient; no delivery notification arrived' };
  // Only a machine has opened it: the relay accepted it, and delivery remains unknown.
  if (copy !== 'taken' && resultOf(recipient) === 'sent') return { state: 'handed_over', reason: missed };
  if (copy === 'not_sent') return { state: 'not_sent', reason: copy_reason };
  if (missed !== null)
    return recipient.machine_opens > 0 || recipient.machine_clicks > 0
      ? { state: 'handed_over', reason: missed }
      : { state: 'unknown', reason: missed };
  if (copy === 'unknown') return { state: 'unknown', reason: copy_reason };
  if (copy === 'deferred') return { state: 'deferred', reason: copy_reason };
  return { state: copy === 'taken' ? 'handed_over' : 'pending', reason: null };
}

/** Whether the copy still waits for a notification. */
export const isAwaited = (recipient: RecipientRow): boolean =>
  recipient.missed === null &&
  recipient.complaint === null &&
  !recipient.bounced &&
  !recipient.delivered &&
  !wasRead(recipient) &&
  recipient.copy !== 'not_sent';

/** The result of the whole message: `sent` if one copy was, else `unknown` if one may have been. */
export function resultOfAll(recipients: readonly RecipientRow[]): HandOverResult {
  const results = new Set(recipients.map(resultOf));
  if (results.has('sent')) return 'sent';
  if (results.has('unknown')) return 'unknown';
  return results.has('failed') ? 'failed' : 'retry_requested';
}
