import type { getEmailStats, ReplyOf } from '@postern/contracts';
import { type RecipientRow, resultOf } from './recipient-row.js';
import type { TrackedEmailRow } from './tracked-email-row.js';

export type EmailCounts = Record<keyof ReplyOf<typeof getEmailStats>['total'], number>;

export const COUNT_NAMES = [
  'accepted',
  'sent',
  'failed',
  'unknown',
  'retry_requested',
  'delivered',
  'bounced_hard',
  'bounced_soft',
  'complained',
  'opened',
  'clicked',
  'machine_opens',
  'machine_clicks',
] as const satisfies readonly (keyof EmailCounts)[];

export const NO_COUNTS = Object.fromEntries(COUNT_NAMES.map(name => [name, 0])) as EmailCounts;

/**
 * The contribution of one email to the counts of its service and day, per recipient. `accepted = sent + failed + unknown`
 * always holds; recipients whose client was asked to retry count only in `retry_requested`.
 */
export const countsOf = (row: Pick<TrackedEmailRow, 'recipients'>): EmailCounts => ({
  accepted: row.recipients.length - withResult(row, 'retry_requested'),
  sent: withResult(row, 'sent'),
  failed: withResult(row, 'failed'),
  unknown: withResult(row, 'unknown'),
  retry_requested: withResult(row, 'retry_requested'),
  delivered: sum(row, ({ delivered }) => delivered),
  bounced_hard: sum(row, ({ bounced }) => bounced === 'hard'),
  bounced_soft: sum(row, ({ bounced }) => bounced === 'soft'),
  complained: sum(row, ({ complaint }) => complaint !== null),
  opened: sum(row, ({ opened_at }) => opened_at !== null),
  clicked: sum(row, ({ clicked_at }) => clicked_at !== null),
  machine_opens: sum(row, ({ machine_opens }) => machine_opens),
  machine_clicks: sum(row, ({ machine_clicks }) => machine_clicks),
});

const sum = (row: Pick<TrackedEmailRow, 'recipients'>, amount: (recipient: RecipientRow) => number | boolean): number =>
  row.recipients.reduce((total, recipient) => total + Number(amount(recipient)), 0);

const withResult = ({ recipients }: Pick<TrackedEmailRow, 'recipients'>, result: ReturnType<typeof resultOf>): number =>
  recipients.filter(recipient => resultOf(recipient) === result).length;
