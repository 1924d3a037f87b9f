import { Injectable } from '@nestjs/common';
import { getTrackedEmail, listEmails, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { EventStore } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { type DeletedServiceEvent, SERVICE_DATA_DELETED } from '../deleted-services/deleted-service.js';
import { type Prisma, PrismaClient, type TrackedEmail } from '../generated/prisma/client.js';
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
import { COUNT_NAMES, countsOf, type EmailCounts, NO_COUNTS } from './email-counts.js';
import { timelineOf } from './email-timeline.js';
import { resultOfAll, stateOf } from './recipient-row.js';
import { applyToRow, isWaiting, replyOf, type TrackedEmailRow } from './tracked-email-row.js';
import { deleteTrackedEmails, loadTrackedEmails, saveTrackedEmails } from './tracked-emails.sql.js';

/**
 * Emails with the state of each recipient, and the counts per service and UTC day of acceptance. They are one
 * projection because the counts change by the difference between the old and the new row.
 */
export const trackedEmails: Projection = {
  name: 'tracked-emails',
  version: 4,
  tables: ['tracked_emails', 'daily_email_counts', 'daily_simulator_counts'],
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
    await save(tx, [...rows.values()], countChanges([...rows.values()], before));
    // Last, also for events of the same batch that follow a deletion: they arrived late.
    const deleted = deletions.map(({ data }) => (data as DeletedServiceEvent['data']).service_id);
    if (deleted.length > 0) await tx.query(deleteTrackedEmails(tx), [deleted]);
  },
};

/** Queries of the tracked emails. */
@Injectable()
export class TrackedEmails {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly store: EventStore,
  ) {}

  /** Newest first. */
  @Handles(listEmails)
  async list(request: RequestOf<typeof listEmails>): Promise<ReplyOf<typeof listEmails>> {
    const { limit, offset } = request;
    const where = filterOf(request);
    const [rows, total] = await Promise.all([
      this.prisma.trackedEmail.findMany({
        where,
        orderBy: [{ acceptedAt: 'desc' }, { id: 'desc' }],
        take: limit,
        skip: offset,
      }),
      this.prisma.trackedEmail.count({ where }),
    ]);
    return { items: rows.map(row => replyOf(rowOf(row))), total, limit, offset };
  }

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

/** The condition of a search. */
export function filterOf(
  request: Omit<RequestOf<typeof listEmails>, 'limit' | 'offset'>,
): Prisma.TrackedEmailWhereInput {
  const { service_id: serviceId, search, state, result, mode, tag, message_id, from, to } = request;
  const text = search?.trim().toLowerCase();
  return {
    serviceId,
    // Prisma passes LIKE wildcards through, so they are escaped here.
    ...(text && { search: { contains: text.replace(/[\\%_]/g, '\\$&') } }),
    ...(state && { states: { has: state } }),
    ...(result && { result }),
    ...(mode && { mode }),
    ...(tag && { tags: { has: tag } }),
    ...(message_id && { messageId: message_id.trim().replace(/^<(.*)>$/, '$1') }),
    acceptedAt: { ...(from && { gte: new Date(from) }), ...(to && { lt: new Date(to) }) },
  };
}

export const rowOf = (row: TrackedEmail): TrackedEmailRow => ({
  id: row.id,
  service_id: row.serviceId,
  status: row.status as TrackedEmailRow['status'],
  mode: row.mode as TrackedEmailRow['mode'],
  sender: row.sender,
  subject: row.subject,
  accepted_at: row.acceptedAt.toISOString(),
  counts: row.counts,
  tags: row.tags.length > 0 ? row.tags : null,
  message_id: row.messageId,
  recipients: row.recipients as unknown as TrackedEmailRow['recipients'],
});

type DayOfCounts = { readonly service_id: string; readonly day: string; readonly simulated: boolean } & EmailCounts;

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
    ],
  });
}

/** The lower-case text that a search matches. */
const searchText = ({ subject, sender, recipients }: TrackedEmailRow): string =>
  [subject, sender, ...recipients.map(({ address }) => address)].join('\n').toLowerCase();

/** The changes of the daily counts by a batch. */
function countChanges(
  rows: readonly TrackedEmailRow[],
  before: ReadonlyMap<string, EmailCounts>,
): readonly DayOfCounts[] {
  const changes = new Map<string, DayOfCounts>();
  for (const row of rows) {
    const day = row.accepted_at.slice(0, 10);
    const key = `${row.service_id} ${day} ${row.counts}`;
    const change = changes.get(key) ?? { service_id: row.service_id, day, simulated: !row.counts, ...NO_COUNTS };
    const current = countsOf(row);
    const previous = before.get(row.id) ?? NO_COUNTS;
    for (const name of COUNT_NAMES) change[name] += current[name] - previous[name];
    changes.set(key, change);
  }
  return [...changes.values()].filter(change => COUNT_NAMES.some(name => change[name] !== 0));
}
