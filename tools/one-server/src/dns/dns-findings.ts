import { Resolver } from 'node:dns/promises';
import type { Configuration } from '../configuration/schema.js';
import type { Finding } from '../preflight/finding.js';
import { mailNamesOf } from '../rendering/model.js';
import { blockListFindings } from './block-lists.js';
import { caaFindings } from './caa.js';
import { type DnsRecord, records, serverAddresses } from './records.js';

const ANSWER_WITHIN_MS = 3_000;

const resolver = () => new Resolver({ timeout: ANSWER_WITHIN_MS, tries: 2 });

/** The published values of a record; none if the name or the type does not exist. */
const publishedValues = async ({ name, type }: Pick<DnsRecord, 'name' | 'type'>): Promise<readonly string[]> => {
  // A wildcard is checked with a name that it covers.
  const queried = name.startsWith('*.') ? `postern-check${name.slice(1)}` : name;
  try {
    if (type === 'MX')
      return (await resolver().resolveMx(queried)).map(({ priority, exchange }) =>
        `${priority} ${exchange}.`.toLowerCase(),
      );
    if (type === 'TXT') return (await resolver().resolveTxt(queried)).map(parts => parts.join(''));
    return await (type === 'A' ? resolver().resolve4(queried) : resolver().resolve6(queried));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOTFOUND', 'ENODATA'].includes(code)) return [];
    throw error;
  }
};

const findingOf = async (record: DnsRecord): Promise<Finding> => {
  const check = `${record.name} ${record.type}`;
  const wanted = `${record.name}. ${record.type} ${record.value}`;
  try {
    const published = await publishedValues(record);
    // SPF of a relay depends on the provider.
    const isOpen = record.value.includes('<');
    if (isOpen ? published.some(value => value.startsWith('v=spf1')) : published.includes(record.value))
      return { check, verdict: 'good', found: record.purpose };
    const found = published.length === 0 ? 'is not published' : `is ${published.join(', ')}`;
    return { check, verdict: 'bad', found: `${record.purpose}: ${found}`, advice: `Publish: ${wanted}` };
  } catch (error) {
    const { code = (error as Error).message } = error as NodeJS.ErrnoException;
    return {
      check,
      verdict: 'warning',
      found: `could not be looked up (${code})`,
      advice: 'Check the name server of this machine.',
      unknown: true,
    };
  }
};

/** Receivers refuse mail of an address whose name does not lead back to it. */
const reverseFinding = async (address: string, name: string): Promise<Finding> => {
  const check = `reverse DNS of ${address}`;
  const names = await resolver()
    .reverse(address)
    .catch((): string[] => []);
  if (names.includes(name)) return { check, verdict: 'good', found: name };
  const found = names.length === 0 ? 'none' : names.join(', ');
  return { check, verdict: 'bad', found, advice: `Set it to ${name} at the provider of this server.` };
};

/** Checks the published records against those that the installation needs, and what others publish about this server. */
export const dnsFindings = async (configuration: Configuration): Promise<readonly Finding[]> => {
  const { ipv4, ipv6 } = serverAddresses();
  if (ipv4.length + ipv6.length === 0)
    return [
      {
        check: 'public address',
        verdict: 'warning',
        found: 'none; this machine is behind a translation of addresses, so records cannot be checked',
        advice: 'Publish the records with the public address, and forward ports 25, 80, 443, 465 and 587.',
      },
    ];
  const wanted = await records(configuration);
  const reverse =
    configuration.mail.send === 'direct'
      ? [...ipv4, ...ipv6].map(address => reverseFinding(address, mailNamesOf(configuration).mx))
      : [];
  const [published, caa, lists] = await Promise.all([
    Promise.all([...wanted.map(findingOf), ...reverse]),
    caaFindings(configuration),
    configuration.mail.send === 'direct' ? blockListFindings(ipv4) : [],
  ]);
  return [...published, ...caa, ...lists];
};
