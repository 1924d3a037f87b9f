import { isIP, isIPv6 } from 'node:net';
import { parseMailbox } from '../mailbox.js';

/** Limits on the values of a report. */
export const REPORT_LIMITS = {
  documents: 3,
  documentBytes: 4 * 1024 * 1024,
  /** Sources, or failures, of one report. */
  rows: 50,
  text: 200,
  /** Keeps sums of sums exact in JSON. */
  count: 1_000_000_000,
} as const;

/** A text of a report, truncated and without control characters; undefined if empty. */
export function boundedText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .slice(0, REPORT_LIMITS.text * 2)
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, REPORT_LIMITS.text)
    .toWellFormed();
  return text === '' ? undefined : text;
}

/** A count of a report; 0 if it is not a number. */
export function boundedCount(value: unknown): number {
  const count = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? Math.min(count, REPORT_LIMITS.count) : 0;
}

/** A sum that is never above the largest count. */
export const boundedSum = (counts: readonly number[]): number =>
  Math.min(
    counts.reduce((total, count) => total + count, 0),
    REPORT_LIMITS.count,
  );

/** A domain in lower case and A-labels; undefined if it is invalid. */
export function domainName(value: unknown): string | undefined {
  const text = boundedText(value)?.replace(/\.$/, '');
  if (text === undefined || /[@<>"\s]/.test(text)) return undefined;
  try {
    return parseMailbox(`postmaster@${text}`).domain;
  } catch {
    return undefined;
  }
}

/** An IP address in canonical form; undefined if it is invalid or has a zone. */
export function ipAddress(value: string | undefined): string | undefined {
  const text = value?.trim() ?? '';
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  return isIPv6(text) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}

/** Between 2000 and 2200: a year that the database and JSON can store. */
export const isPlausible = (date: Date): boolean =>
  date.getTime() > 946_684_800_000 && date.getTime() < 7_258_118_400_000;
