import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
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
import {
  applyToRow,
  countsOf,
  type EmailCounts,
  isWaiting,
  stateOf,
  type TrackedEmailRow,
} from './tracked-email-row.js';

export const ROW_COLUMNS = `id, service_id, status, mode, sender, subject,
  to_char(accepted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS accepted_at, counts, recipients`;

export const COUNT_NAMES = [
  'accepted',
  'sent',
  'failed',
  'delivered',
  'bounced_hard',
  'bounced_soft',
  'complained',
  'opened',
  'clicked',
  'machine_opens',
  'machine_clicks',
] as const satisfies readonly (keyof EmailCounts)[];

/**
 * Emails with the state of each recipient, and the counts per service and UTC day of acceptance. Both are one
 * projection because a count is the difference that a batch made to its emails' rows.
 */
export const trackedEmails: Projection = {
  name: 'tracked-emails',
  version: 1,
  tables: ['tracked_emails', 'daily_email_counts'],
  eventTypes: [
    EMAIL_TRACKED,
    HAND_OVER_RECORDED,
    COPY_RETRIED,
    HAND_OVER_FAILED,
    HAND_OVER_INTERRUPTED,
    NOTIFICATION_MISSED,
    CLICKS_RECOGNISED_AS_MACHINE,
    'delivery-tracking.email-delivered.v1',
    'delivery-tracking.email-bounced.v1',
    'delivery-tracking.email-complained.v1',
    'delivery-tracking.email-opened.v1',
    'delivery-tracking.email-clicked.v1',
  ],

  async apply(recorded, tx) {
    const events = recorded.map(({ type, data }) => ({ type, data }) as TrackedEmailEvent);
    const rows = await loadRows(tx, [...new Set(events.map(({ data }) => data.email_id))]);
    const before = new Map([...rows].map(([id, row]) => [id, countsOf(row)]));
    for (const event of events) {
      const { email_id } = event.data;
      const row = applyToRow(rows.get(email_id), event);
      if (row) rows.set(email_id, row);
    }
    await saveRows(tx, [...rows.values()]);
    await addCounts(tx, [...rows.values()], before);
  },
};

async function loadRows(tx: ProjectionTransaction, ids: readonly string[]): Promise<Map<string, TrackedEmailRow>> {
  const { rows } = await tx.query<TrackedEmailRow>(
    `SELECT ${ROW_COLUMNS} FROM ${tx.table('tracked_emails')} WHERE id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(row => [row.id, row]));
}

async function saveRows(tx: ProjectionTransaction, rows: readonly TrackedEmailRow[]): Promise<void> {
  const lines = rows.map(row => ({
    ...row,
    states: [...new Set(row.recipients.map(recipient => stateOf(recipient).state))],
    search: searchText(row),
    waiting_since: isWaiting(row) ? row.accepted_at : null,
  }));
  await tx.query(
    `INSERT INTO ${tx.table('tracked_emails')}
       (id, service_id, status, mode, sender, subject, accepted_at, counts, recipients, states, search, waiting_since)
     SELECT id, service_id, status, mode, sender, subject, accepted_at, counts, recipients, states, search, waiting_since
     FROM jsonb_to_recordset($1::jsonb) AS line (
       id uuid, service_id uuid, status text, mode text, sender text, subject text, accepted_at timestamptz,
       counts boolean, recipients jsonb, states text[], search text, waiting_since timestamptz)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, recipients = excluded.recipients,
       states = excluded.states, waiting_since = excluded.waiting_since`,
    [JSON.stringify(lines)],
  );
}

/** What a search looks through: everything about the email that a person may remember, in lower case. */
const searchText = ({ subject, sender, recipients }: TrackedEmailRow): string =>
  [subject, sender, ...recipients.map(({ address }) => address)].join('\n').toLowerCase();

async function addCounts(
  tx: ProjectionTransaction,
  rows: readonly TrackedEmailRow[],
  before: ReadonlyMap<string, EmailCounts>,
): Promise<void> {
  const differences = new Map<string, { service_id: string; day: string } & EmailCounts>();
  for (const row of rows) {
    if (!row.counts) continue;
    const day = row.accepted_at.slice(0, 10);
    const key = `${row.service_id} ${day}`;
    const total = differences.get(key) ?? { service_id: row.service_id, day, ...NOTHING };
    const now = countsOf(row);
    const then = before.get(row.id) ?? NOTHING;
    for (const name of COUNT_NAMES) total[name] += now[name] - then[name];
    differences.set(key, total);
  }
  const changed = [...differences.values()].filter(total => COUNT_NAMES.some(name => total[name] !== 0));
  if (changed.length === 0) return;
  const table = tx.table('daily_email_counts');
  await tx.query(
    `INSERT INTO ${table} (service_id, day, ${COUNT_NAMES.join(', ')})
     SELECT service_id, day, ${COUNT_NAMES.join(', ')} FROM jsonb_to_recordset($1::jsonb) AS line (
       service_id uuid, day date, ${COUNT_NAMES.map(name => `${name} integer`).join(', ')})
     ON CONFLICT (service_id, day) DO UPDATE SET
       ${COUNT_NAMES.map(name => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`,
    [JSON.stringify(changed)],
  );
}

export const NOTHING = Object.fromEntries(COUNT_NAMES.map(name => [name, 0])) as EmailCounts;
