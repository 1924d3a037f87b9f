import { Injectable } from '@nestjs/common';
import { getTrackedEmail, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { EventStore } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { type DeletedServiceEvent, SERVICE_DATA_DELETED } from '../deleted-services/deleted-service.js';
import {
  CLICKS_RECOGNISED_AS_MACHINE,
  COPY_RETRIED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTIFICATION_MISSED,
  type TrackedEmailEvent,
  trackedEmailStream,
} from '../tracked-emails/tracked-email-events.js';
import { countChanges, type DayOfCounts } from './day-of-counts.js';
import { countsOf } from './email-counts.js';
import { timelineOf } from './email-timeline.js';
import { resultOfAll, stateOf } from './recipient-row.js';
import { applyToRow, isWaiting, otherRecipients, replyOf, type TrackedEmailRow } from './tracked-email-row.js';
import { deleteTrackedEmails, loadTrackedEmails, saveTrackedEmails } from './tracked-emails.sql.js';

/**
 * Emails with the state of each recipient, and the counts per service and UTC day of acceptance. They are one
 * projection because the counts change by the difference between the old and the new row.
 */
export const trackedEmails: Projection = {
  name: 'tracked-emails',
  version: 5,
  tables: ['tracked_emails', 'tracked_other_recipients', 'daily_email_counts', 'daily_simulator_counts'],
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
    SERVICE_DATA_DELETED,
  ],

  async apply(recorded, tx) {
    const deletions = recorded.filter(({ type }) => type === SERVICE_DATA_DELETED);
    const events = recorded
      .filter(({ type }) => type !== SERVICE_DATA_DELETED)
      .map(({ type, data }) => ({ type, data }) as TrackedEmailEvent);
    const rows = await load(tx, [...new Set(events.map(({ data }) => data.email_id))]);
    const before = new Map([...rows].map(([id, row]) => [id, countsOf(row)]));
    for (const event of events) {
      const { email_id } = event.data;
      const row = applyToRow(rows.get(email_id), event);
      if (row) rows.set(email_id, row);
    }
    const changed = [...rows.values()];
    const added = changed.filter(({ id }) => !before.has(id));
    await save(tx, changed, added, countChanges(changed, before));
    // Last, also for events of the same batch that follow a deletion: they arrived late.
    const deleted = deletions.map(({ data }) => (data as DeletedServiceEvent['data']).service_id);
    if (deleted.length > 0) await tx.query(deleteTrackedEmails(tx), [deleted]);
  },
};

/** Queries of the tracked emails. */
@Injectable()
export class TrackedEmails {
  constructor(private readonly store: EventStore) {}

  /** Reads the event stream, so it is always up to date. Refuses `email_not_found`, also for other services' emails. */
  @Handles(getTrackedEmail)
  async get({ service_id, email_id }: RequestOf<typeof getTrackedEmail>): Promise<ReplyOf<typeof getTrackedEmail>> {
    const recorded = await this.store.readStream(trackedEmailStream(email_id.toLowerCase()));
    const events = recorded.map(({ type, data }) => ({ type, data }) as TrackedEmailEvent);
    const row = events.reduce<TrackedEmailRow | undefined>(applyToRow, undefined);
    if (row?.service_id !== service_id) throw new Refusal('email_not_found', `there is no email ${email_id}`);
    return { ...replyOf(row), timeline: timelineOf(events) };
  }
}

async function load(tx: ProjectionTransaction, ids: readonly string[]): Promise<Map<string, TrackedEmailRow>> {
  const { rows } = await tx.query<TrackedEmailRow>({
    name: `load ${tx.table('tracked_emails')}`,
    text: loadTrackedEmails(tx),
    values: [ids],
  });
  return new Map(rows.map(row => [row.id, row]));
}

async function save(
  tx: ProjectionTransaction,
  rows: readonly TrackedEmailRow[],
  added: readonly TrackedEmailRow[],
  counts: readonly DayOfCounts[],
): Promise<void> {
  await tx.query({
    name: `save ${tx.table('tracked_emails')}`,
    text: saveTrackedEmails(tx),
    values: [
      rows.map(({ id }) => id),
      rows.map(({ service_id }) => service_id),
      rows.map(({ status }) => status),
      rows.map(({ mode }) => mode),
      rows.map(({ sender }) => sender),
      rows.map(({ subject }) => subject),
      rows.map(({ accepted_at }) => accepted_at),
      rows.map(row => row.counts),
      rows.map(({ recipients }) => JSON.stringify(recipients)),
      rows.map(({ recipients }) => [...new Set(recipients.map(recipient => stateOf(recipient).state))].join()),
      rows.map(searchText),
      rows.map(row => (isWaiting(row) ? row.accepted_at : null)),
      JSON.stringify(counts),
      rows.map(({ recipients }) => resultOfAll(recipients)),
      rows.map(({ tags }) => (tags === null ? null : JSON.stringify(tags))),
      rows.map(({ message_id }) => message_id),
      rows.map(({ recipients }) => recipients[0]?.address.toLowerCase() ?? null),
      JSON.stringify(added.flatMap(otherRecipients)),
    ],
  });
}

/** The lower-case text that a search matches. */
const searchText = ({ subject, sender, recipients }: TrackedEmailRow): string =>
  [subject, sender, ...recipients.map(({ address }) => address)].join('\n').toLowerCase();
