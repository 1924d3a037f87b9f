import { Refusal } from '@postern/contracts/refusal';
import { MailboxError, parseMailbox } from '@postern/mail';

/**
 * Lower case, A-labels, without the trailing dot. Refuses with `invalid_input`, naming the field, what cannot be a domain:
 * single labels, addresses, wildcards, IP literals.
 */
export function normalizeDomain(input: string, field: 'domain' | 'host' = 'domain'): string {
  const text = input.trim().replace(/[.\u3002]$/u, '');
  const refuse = (why: string): never => {
    throw new Refusal('invalid_input', `${field}: ${why}`);
  };
  if (/[@<>"\s/:]/u.test(text)) return refuse(`"${input}" must be a bare domain name such as example.com`);
  if (text.includes('*')) return refuse('wildcards are not allowed; add each domain by itself');
  if (/^\[|^\d+(\.\d+){3}$/.test(text)) return refuse('an IP address is not a domain name');
  try {
    return parseMailbox(`postmaster@${text}`).domain;
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    return refuse(`"${input}" is not a fully qualified domain name`);
  }
}
