import type { DomainRow } from './custom-domains.js';
import type { DomainDns } from './domain-dns.js';

/** The TXT record that proves the ownership of a domain. */
export const txtRecordOf = ({ domain, token }: Pick<DomainRow, 'domain' | 'token'>) => ({
  name: `_postern.${domain}`,
  value: `postern-verification=${token}`,
});

export interface Proof {
  readonly proven: boolean;
  /** Describes the records that were found. */
  readonly message: string;
}

/** Looks up the CNAME record to the host name of the web service, and then the TXT record. */
export async function proofOf(row: DomainRow, target: string, dns: DomainDns): Promise<Proof> {
  const aliases = (await dns.aliases(row.domain)).map(nameOf);
  if (aliases.includes(nameOf(target))) return { proven: true, message: `its CNAME record names ${target}` };
  const { name, value } = txtRecordOf(row);
  const texts = await dns.texts(name);
  if (texts.some(text => text.trim() === value)) return { proven: true, message: `the TXT record ${name} was found` };
  // The message omits the found values, which may be names of the internal network of Postern.
  const alias = aliases.length === 0 ? `${row.domain} has no CNAME record` : 'its CNAME record names another host';
  const text = texts.length === 0 ? `there is no TXT record ${name}` : `the TXT record ${name} has another value`;
  return { proven: false, message: `${alias}, and ${text}`.slice(0, 500) };
}

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');
