import { addressKey } from '@postern/mail';

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/** The row that the sealed key of the hashes is bound to. */
export const hashKeyRow = (id: string): string => `mailbox_hash_keys/${id}`;

/**
 * One spelling for all addresses that reach the same mailbox: without the part after "+", and at Gmail without dots.
 * Otherwise one person could be sent codes at any number of addresses.
 */
export function mailboxKey(address: string): string {
  const key = addressKey(address);
  const at = key.lastIndexOf('@');
  const domain = key.slice(at + 1);
  const local = key.slice(0, at).replace(/(?<=.)\+.*$/s, '');
  return GMAIL.has(domain) ? `${local.replaceAll('.', '') || local}@gmail.com` : `${local}@${domain}`;
}
