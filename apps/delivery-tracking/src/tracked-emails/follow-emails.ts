import { lockStreams, type ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { countChanges } from './day-of-counts.js';
import { countsOf } from './email-counts.js';
import { stepsOf } from './hand-over-steps.js';
import type { FollowedEmail } from './ports.js';
import { loadRows, saveRows } from './saved-rows.js';
import { type FollowedEvent, trackedEmailStream } from './tracked-email-events.js';
import { applyToRow, eventsOfRow, type FollowedRow, type TrackedEmailRow } from './tracked-email-row.js';
import { knownEmails, READ_FOLLOWED, readFollowed } from './tracked-emails.sql.js';

const CARRIED_AT_ONCE = 500;
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Folds what email-send said into the rows of one generation. The caller holds the streams of the emails. A generation that is being
 * built may not have an email yet: the rebuild carries over the live row later.
 */
export async function followEmails(emails: readonly FollowedEmail[], tx: ProjectionTransaction): Promise<void> {
  const known = emails.filter(({ isNew }) => !isNew).map(({ emailId }) => emailId);
  const rows = await loadRows(tx, known);
  const before = new Map([...rows].map(([id, row]) => [id, countsOf(row)]));
  const followed = emails.filter(({ emailId, isNew }) => isNew || rows.has(emailId));
  for (const { emailId, events } of followed) rows.set(emailId, folded(events, rows.get(emailId)));
  const changed = [...rows.values()];
  await saveRows(tx, {
    rows: changed,
    added: changed.filter(({ id }) => !before.has(id)),
    counts: countChanges(changed, before),
    followed: new Map(
      followed.map(({ emailId, events, traceparent }) => [emailId, { steps: stepsOf(events), traceparent }]),
    ),
  });
}

/** The part of a rebuild that comes from the live rows: what email-send said. */
export async function carryOverEmails(
  after: string,
  live: ProjectionTransaction,
  next: ProjectionTransaction,
): Promise<string | undefined> {
  const { rows: found } = await live.query<{ id: string }>(readFollowed(live), [after || NIL, CARRIED_AT_ONCE]);
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return undefined;
  // Under the locks of the streams, nothing is folded into these rows, here or there.
  await lockStreams(next, ids.map(trackedEmailStream));
  const { rows: complete } = await next.query<{ id: string }>(knownEmails(next), [ids]);
  const existing = new Set(complete.map(({ id }) => id));
  const { rows: held } = await live.query<FollowedRow>(READ_FOLLOWED, [ids]);
  const missing = held.filter(({ id }) => !existing.has(id));
  await followEmails(
    missing.map(row => ({ emailId: row.id, isNew: true, events: eventsOfRow(row), traceparent: row.traceparent })),
    next,
  );
  return ids.at(-1);
}

const folded = (events: readonly FollowedEvent[], row?: TrackedEmailRow): TrackedEmailRow => {
  const next = events.reduce(applyToRow, row);
  if (!next) throw new Error('an email was followed before it was known');
  return next;
};
