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
} from '../tracked-emails/tracked-email-events.js';
import { resultOfAll, stateOf } from './recipient-row.js';
import { applyToRow, countsOf, type EmailCounts, isWaiting, type TrackedEmailRow } from './tracked-email-row.js';

export const ROW_COLUMNS = `id, service_id, status, mode, sender, subject,
  to_char(accepted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS accepted_at, counts, recipients`;

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

/**
 * Emails with the state of each recipient, and the counts per service and UTC day of acceptance. Both are one
 * projection because a count is the difference that a batch made to its emails' rows.
 */
export const trackedEmails: Projection = {
  name: 'tracked-emails',
  version: 2,
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
    await save(tx, [...rows.values()], changedCounts([...rows.values()], before));
  },
};

type DayOfCounts = { readonly service_id: string; readonly day: string } & EmailCounts;

async function loadRows(tx: ProjectionTransaction, ids: readonly string[]): Promise<Map<string, TrackedEmailRow>> {
  const table = tx.table('tracked_emails');
  const { rows } = await tx.query<TrackedEmailRow>({
    name: `load ${table}`,
    text: `SELECT ${ROW_COLUMNS} FROM ${table} WHERE id = ANY ($1::uuid[])`,
    values: [ids],
  });
  return new Map(rows.map(row => [row.id, row]));
}

/** Rows and counts in one statement. */
async function save(
  tx: ProjectionTransaction,
  rows: readonly TrackedEmailRow[],
  counts: readonly DayOfCounts[],
): Promise<void> {
  const [table, days] = [tx.table('tracked_emails'), tx.table('daily_email_counts')];
  await tx.query({
    name: `save ${table}`,
    text: `
      WITH counted AS (
        INSERT INTO ${days} (service_id, day, ${COUNT_NAMES.join(', ')})
        SELECT service_id, day, ${COUNT_NAMES.join(', ')} FROM jsonb_to_recordset($13::jsonb) AS line (
          service_id uuid, day date, ${COUNT_NAMES.map(name => `${name} integer`).join(', ')})
        ON CONFLICT (service_id, day) DO UPDATE SET
          ${COUNT_NAMES.map(name => `${name} = ${days}.${name} + excluded.${name}`).join(', ')}
      )
      INSERT INTO ${table}
        (id, service_id, status, mode, sender, subject, accepted_at, counts, recipients, states, result, search,
         waiting_since)
      SELECT id, service_id, status, mode, sender, subject, accepted_at, counts, recipients,
        string_to_array(states, ','), result, search, waiting_since
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
        $8::boolean[], $9::jsonb[], $10::text[], $11::text[], $12::timestamptz[], $14::text[]) AS line (id, service_id,
        status, mode, sender, subject, accepted_at, counts, recipients, states, search, waiting_since, result)
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, recipients = excluded.recipients,
        states = excluded.states, result = excluded.result, waiting_since = excluded.waiting_since`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ service_id }) => service_id),
      rows.map(({ status }) => status),
      rows.map(({ mode }) => mode),
      rows.map(({ sender }) => sender),
      rows.map(({ subject }) => subject),
      rows.map(({ accepted_at }) => accepted_at),
      rows.map(({ counts }) => counts),
      rows.map(({ recipients }) => JSON.stringify(recipients)),
      rows.map(({ recipients }) => [...new Set(recipients.map(recipient => stateOf(recipient).state))].join()),
      rows.map(searchText),
      rows.map(row => (isWaiting(row) ? row.accepted_at : null)),
      JSON.stringify(counts),
      rows.map(({ recipients }) => resultOfAll(recipients)),
    ],
  });
}

/** What a search looks through: everything about the email that a person may remember, in lower case. */
const searchText = ({ subject, sender, recipients }: TrackedEmailRow): string =>
  [subject, sender, ...recipients.map(({ address }) => address)].join('\n').toLowerCase();

/** What a batch changed in the counts of the days of its emails. */
function changedCounts(
  rows: readonly TrackedEmailRow[],
  before: ReadonlyMap<string, EmailCounts>,
): readonly DayOfCounts[] {
  const differences = new Map<string, DayOfCounts>();
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
  return [...differences.values()].filter(total => COUNT_NAMES.some(name => total[name] !== 0));
}

export const NOTHING = Object.fromEntries(COUNT_NAMES.map(name => [name, 0])) as EmailCounts;
