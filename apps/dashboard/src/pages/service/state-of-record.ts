import type { DnsRecord, SendingDomain } from '@postern/contracts';

/** `awaited`: nothing was found so far, which is no mistake, because new records take time to be visible. */
export type StateOfRecord = 'found' | 'unchecked' | 'awaited' | 'wrong';

export const stateOfRecord = (
  { ok, found }: Pick<DnsRecord, 'ok' | 'found'>,
  domain: SendingDomain['status'],
): StateOfRecord => {
  if (ok) return 'found';
  if (found === null) return 'unchecked';
  return found.length === 0 && domain === 'pending' ? 'awaited' : 'wrong';
};
