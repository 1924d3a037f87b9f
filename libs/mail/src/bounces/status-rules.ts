import type { BounceName } from './bounce-rule.js';

/** By the last two digits of the status (RFC 3463, RFC 7505, RFC 7372); `n.*` if the detail is not listed. */
const BY_STATUS: Readonly<Record<string, BounceName>> = {
  '1.0': 'bad_address',
  '1.1': 'unknown_user',
  '1.2': 'no_such_domain',
  '1.3': 'bad_address',
  '1.4': 'bad_address',
  '1.6': 'moved',
  '1.7': 'sender_rejected',
  '1.8': 'sender_rejected',
  '1.10': 'null_mx',
  // Exchange Online: "Remote server returned unknown recipient".
  '1.351': 'unknown_user',
  '1.*': 'other',
  '2.1': 'mailbox_disabled',
  '2.2': 'mailbox_full',
  '2.3': 'message_too_big',
  '2.*': 'other',
  '3.1': 'mailbox_full',
  '3.4': 'message_too_big',
  '3.*': 'system',
  '4.1': 'unreachable',
  '4.2': 'unreachable',
  '4.4': 'no_such_domain',
  '4.6': 'loop',
  '4.7': 'expired',
  // Exchange Online: "DNS domain … does not exist".
  '4.310': 'no_such_domain',
  '4.*': 'unreachable',
  '5.3': 'rate_limited',
  '5.*': 'protocol',
  '6.*': 'content',
  '7.8': 'authentication',
  '7.9': 'authentication',
  '7.20': 'authentication',
  '7.21': 'authentication',
  '7.22': 'authentication',
  '7.23': 'authentication',
  '7.24': 'authentication',
  '7.25': 'reputation',
  '7.26': 'authentication',
  '7.27': 'sender_rejected',
  '7.28': 'rate_limited',
  '7.*': 'policy',
};

/** Statuses too vague, or too often misused, to take precedence over the server's text. */
const VAGUE = /^(?:[0-6]\.0|1\.\d{2,}|2\.4|3\.\d+|4\.[0134]|5\.\d+)$/;
const EXACT = new Set(['1.10', '1.351', '3.4']);

/** `5.1.1` → `1.1`. */
export const detailOf = (status: string | undefined): string | undefined =>
  /^[245]\.(\d{1,3}\.\d{1,3})$/.exec(status ?? '')?.[1];

/** The cause of a status detail, if it is precise enough. */
export const preciseCause = (detail: string | undefined): BounceName | undefined =>
  detail === undefined || (VAGUE.test(detail) && !EXACT.has(detail)) ? undefined : causeOf(detail);

/** The cause of a status detail, even if it is vague. */
export const causeOf = (detail: string): BounceName | undefined =>
  BY_STATUS[detail] ?? BY_STATUS[`${detail.split('.')[0]}.*`];

/** The cause of an SMTP code without other information. */
export const BY_CODE: Readonly<Record<number, BounceName>> = {
  521: 'null_mx',
  552: 'mailbox_full',
  556: 'null_mx',
};

/** Details whose cause words about a recipient do not change: full, too big, authentication, rate, and other exact ones. */
export const isSpecific = (detail: string | undefined): boolean =>
  detail !== undefined && /^(?:1\.(?:[2-46-8]|10)|2\.[23]|3\.4|4\.\d{1,2}|6\.\d+|7\.(?:[2-9]|\d{2,}))$/.test(detail);
