import type { DomainDns, DomainRow } from './ports.js';

/** The TXT record that proves a domain. */
export const txtRecordOf = ({ domain, token }: Pick<DomainRow, 'domain' | 'token'>) => ({
  name: `_postern.${domain}`,
  value: `postern-verification=${token}`,
});

export interface Proof {
  readonly proven: boolean;
  /** What was found, in words. */
  readonly message: string;
}

/** Looks for the CNAME record to the host name of the web service, and then for the TXT record. */
export async function proofOf(row: DomainRow, target: string, dns: DomainDns): Promise<Proof> {
  const aliases = (await dns.aliases(row.domain)).map(nameOf);
  if (aliases.includes(nameOf(target))) return { proven: true, message: `its CNAME record names ${target}` };
  const { name, value } = txtRecordOf(row);
  const texts = await dns.texts(name);
  if (texts.some(text => text.trim() === value)) return { proven: true, message: `the TXT record ${name} was found` };
  // What was found instead may be a name of the network that Postern runs in.
  const alias = aliases.length === 0 ? `${row.domain} has no CNAME record` : 'its CNAME record names another host';
  const text = texts.length === 0 ? `there is no TXT record ${name}` : `the TXT record ${name} has another value`;
  return { proven: false, message: `${alias}, and ${text}`.slice(0, 500) };
}

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');
