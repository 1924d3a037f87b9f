import { timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '@postern/contracts';
import { invalidEvent, invalidSignature } from './provider-refusals.js';

/** Parsed JSON from outside; reading a missing or mistyped member gives undefined. */
export type Json = Readonly<Record<string, unknown>>;

/** Providers repeat calls for hours after a failure; repeated events change nothing. */
const MAX_AGE_MS = 12 * 3_600_000;
const MAX_AHEAD_MS = 5 * 60_000;

export function parsedJson(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw invalidEvent('the body is not JSON');
  }
}

export const objectIn = (parent: Json | undefined, name: string): Json | undefined => {
  const value = parent?.[name];
  return isJsonObject(value) ? value : undefined;
};

export const objectsIn = (parent: Json | undefined, name: string): readonly Json[] => {
  const value = parent?.[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
};

/** A member that is text or a number, without control characters; undefined if it is empty. */
export const textIn = (parent: Json | undefined, name: string, maxLength = 2_000): string | undefined => {
  const value = parent?.[name];
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxLength);
  return plain === '' ? undefined : plain;
};

/** Members that are there, of those given. */
export const present = <Fields extends object>(fields: { [Name in keyof Fields]: Fields[Name] | undefined }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;

/** An ISO time, or seconds since 1970; now if it is neither. */
export function timeOf(value: unknown): string {
  const time = typeof value === 'number' ? new Date(value * 1_000) : new Date(typeof value === 'string' ? value : NaN);
  const isSane = time.getTime() > 0 && time.getTime() < Date.now() + 86_400_000;
  return (isSane ? time : new Date()).toISOString();
}

/** Refuses a signed time outside of the window. `seconds` is Unix time in seconds. */
export function assertRecent(seconds: string, what: string): void {
  const age = Date.now() - Number(seconds) * 1_000;
  if (!/^\d{1,12}$/.test(seconds) || age >= MAX_AGE_MS || age < -MAX_AHEAD_MS) {
    throw invalidSignature(`${what} is not within the last 12 hours: the call is too old, or a clock is wrong`);
  }
}

/** Whether two texts are equal, in constant time. */
export const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** A Message-ID without angle brackets. */
export const bareMessageId = (messageId: string | undefined): string | undefined =>
  messageId?.replace(/^<(.*)>$/, '$1').slice(0, 998);
