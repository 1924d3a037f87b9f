const DAY_MS = 86_400_000;
const DAYS_KEPT = 30;

/** Reports about days that ended before this are deleted, and no longer accepted. */
export const keptSince = (now: Date): Date => new Date(now.getTime() - DAYS_KEPT * DAY_MS);

/** Whether a report is about days that are kept. The clock of its author can be ahead by a day. */
export const isKept = (endsAt: Date, now: Date): boolean =>
  endsAt >= keptSince(now) && endsAt.getTime() <= now.getTime() + DAY_MS;
