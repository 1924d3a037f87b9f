import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import type { DayOfCounts } from './day-of-counts.js';
import type { HandOverStep } from './hand-over-steps.js';
import { resultOfAll, stateOf } from './recipient-row.js';
import { isWaiting, otherRecipients, searchText, type TrackedEmailRow } from './tracked-email-row.js';
import { loadTrackedEmails, saveTrackedEmails } from './tracked-emails.sql.js';

/** Changed rows of a generation of the read model. */
export interface ChangedRows {
  readonly rows: readonly TrackedEmailRow[];
  /** Those that are new. */
  readonly added: readonly TrackedEmailRow[];
  readonly counts: readonly DayOfCounts[];
  /** What email-send has said, by email: empty for its acceptance. */
  readonly followed?: ReadonlyMap<string, Followed>;
}

export interface Followed {
  readonly steps: readonly HandOverStep[];
  readonly traceparent: string | null;
}

/** The rows of emails by id, locked until the end of the transaction. */
export async function loadRows(
  tx: ProjectionTransaction,
  ids: readonly string[],
): Promise<Map<string, TrackedEmailRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<TrackedEmailRow>({
    name: `load ${tx.table('tracked_emails')}`,
    text: loadTrackedEmails(tx),
    values: [ids],
  });
  return new Map(rows.map(row => [row.id, row]));
}

export async function saveRows(
  tx: ProjectionTransaction,
  { rows, added, counts, followed }: ChangedRows,
): Promise<void> {
  if (rows.length === 0) return;
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
      rows.map(({ id }) => (followed?.has(id) ? JSON.stringify(followed.get(id)?.steps) : null)),
      rows.map(({ id }) => followed?.get(id)?.traceparent ?? null),
    ],
  });
}
