/** Returns the calendar month in UTC as the date of its first day. */
export const monthOf = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`;

/** Returns the first day of the month that is `months` earlier. */
export const monthsBefore = (now: Date, months: number): string =>
  monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)));

export const GIGABYTE = 1e9;

/** Reason of a suspension, shown to the owner of the web service. */
export const bandwidthExceeded = (limitBytes: number): string =>
  `it used more than the ${limitBytes / GIGABYTE} GB of traffic that a web service has in a month`;
