import { readModel } from '../applying/plan.js';
import { dnsFindings } from '../dns/dns-findings.js';
import { type DnsRecord, records } from '../dns/records.js';
import { factsWithoutServers } from '../machine/facts.js';
import { showFindings } from '../preflight/finding.js';

type Print = (line: string) => void;

/** A line of a zone file; a TXT value is divided into strings of at most 255 bytes (RFC 1035 §3.3.14). */
export const zoneLine = ({ name, type, value }: DnsRecord): string => {
  const parts = type === 'TXT' ? (value.match(/.{1,255}/g) ?? []).map(part => JSON.stringify(part)).join(' ') : value;
  return `${name}. 3600 IN ${type} ${parts}`;
};

/** `dns [--zone]`: the records to publish, and whether they are. @returns whether none is missing. */
export const dns = async (zone: boolean, print: Print): Promise<boolean> => {
  const { configuration } = readModel(factsWithoutServers());
  if (zone) {
    for (const record of await records(configuration)) print(zoneLine(record));
    return true;
  }
  return showFindings(await dnsFindings(configuration), print) === 0;
};
