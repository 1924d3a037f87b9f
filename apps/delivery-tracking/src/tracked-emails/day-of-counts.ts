import { COUNT_NAMES, countsOf, type EmailCounts, NO_COUNTS } from './email-counts.js';
import type { TrackedEmailRow } from './tracked-email-row.js';

/** What messages add to the counts of their service and UTC day of acceptance. */
export interface DayOfCounts extends EmailCounts {
  readonly service_id: string;
  readonly day: string;
  readonly simulated: boolean;
  /** The number of messages; the other counts are of recipients. */
  messages: number;
}

/** The changes of the daily counts by a batch, from the counts of its messages before; new messages have none. */
export function countChanges(
  rows: readonly TrackedEmailRow[],
  before: ReadonlyMap<string, EmailCounts>,
): readonly DayOfCounts[] {
  const changes = new Map<string, DayOfCounts>();
  for (const row of rows) {
    const day = row.accepted_at.slice(0, 10);
    const key = `${row.service_id} ${day} ${row.counts}`;
    const change = changes.get(key) ?? {
      service_id: row.service_id,
      day,
      simulated: !row.counts,
      ...NO_COUNTS,
      messages: 0,
    };
    const current = countsOf(row);
    const previous = before.get(row.id) ?? NO_COUNTS;
    if (!before.has(row.id)) change.messages += 1;
    for (const name of COUNT_NAMES) change[name] += current[name] - previous[name];
    changes.set(key, change);
  }
  return [...changes.values()].filter(change => change.messages !== 0 || COUNT_NAMES.some(name => change[name] !== 0));
}
