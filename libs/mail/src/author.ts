import { addressKey, parseMailbox } from './mailbox.js';
import type { Fields } from './mime-part.js';

/** Two From fields, or two authors in one, can mean different things to a verifier and to us. */
export function authorOf(fields: Fields): string | undefined {
  const [from, ...others] = fields.get('from') ?? [];
  if (from === undefined || others.length > 0) return undefined;
  try {
    return addressKey(parseMailbox(from.trim()).address);
  } catch {
    return undefined;
  }
}
