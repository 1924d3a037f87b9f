/** Traffic is counted by month of the calendar in UTC, named by its first day. */
export const monthOf = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`;

/** The first day of the month that lies `months` before. */
export const monthsBefore = (now: Date, months: number): string =>
  monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)));

export const GIGABYTE = 1e9;

/** What the owner of a suspended service reads. */
export const beyondBandwidth = (boundBytes: number): string =>
  `it used more than the ${boundBytes / GIGABYTE} GB of traffic that a web service has in a month`;
