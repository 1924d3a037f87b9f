import type { Projection } from '@postern/event-sourcing/postgres';
import { type DeletedServiceEvent, SERVICE_DATA_DELETED } from '../deleted-services/deleted-service.js';
import { countChanges } from './day-of-counts.js';
import { countsOf } from './email-counts.js';
import { carryOverEmails } from './follow-emails.js';
import { loadRows, saveRows } from './saved-rows.js';
import { CLICKS_RECOGNISED_AS_MACHINE, NOTIFICATION_MISSED, type TrackedEmailEvent } from './tracked-email-events.js';
import { applyToRow } from './tracked-email-row.js';
import { deleteTrackedEmails } from './tracked-emails.sql.js';

/**
 * Emails with the state of each recipient, and the counts per service and UTC day of acceptance. They are one
 * projection because the counts change by the difference between the old and the new row.
 *
 * The rows have two sources. What email-send says is folded by `followEmails`, in the transaction in which the position in its log moves;
 * the row keeps it. Everything else comes from the log of this service. A rebuild takes the first from the rows and applies the second
 * from the beginning.
 */
export const trackedEmails: Projection = {
  name: 'tracked-emails',
  version: 5,
  tables: ['tracked_emails', 'tracked_other_recipients', 'daily_email_counts', 'daily_simulator_counts'],
  eventTypes: [
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
    const rows = await loadRows(tx, [...new Set(events.map(({ data }) => data.email_id))]);
    const before = new Map([...rows].map(([id, row]) => [id, countsOf(row)]));
    for (const event of events) {
      const { email_id } = event.data;
      const row = applyToRow(rows.get(email_id), event);
      if (row) rows.set(email_id, row);
    }
    const changed = [...rows.values()];
    const added = changed.filter(({ id }) => !before.has(id));
    await saveRows(tx, { rows: changed, added, counts: countChanges(changed, before) });
    // Last, also for events of the same batch that follow a deletion: they arrived late.
    const deleted = deletions.map(({ data }) => (data as DeletedServiceEvent['data']).service_id);
    if (deleted.length > 0) await tx.query(deleteTrackedEmails(tx), [deleted]);
  },

  carryOver: carryOverEmails,
};
