import { addressKey, parseMailbox } from './mailbox.js';
import type { Fields } from './mime-part.js';

/** A verifier and Postern can interpret two From fields, or two authors in one field, differently. */
export function authorOf(fields: Fields): string | undefined {
  const [from, ...others] = fields.get('from') ?? [];
  if (from === undefined || others.length > 0) return undefined;
  try {
    return addressKey(parseMailbox(from.trim()).address);
  } catch {
    return undefined;
  }
}
