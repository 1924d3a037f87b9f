import { Resolver } from 'node:dns/promises';
import type { Finding } from '../preflight/finding.js';
import { serverAddresses } from './records.js';

const ANSWER_WITHIN_MS = 3_000;

/** Lists that large receivers use, with the page where the owner of an address asks for its removal. */
const LISTS = [
  { zone: 'zen.spamhaus.org', name: 'Spamhaus ZEN', page: 'https://check.spamhaus.org' },
  { zone: 'b.barracudacentral.org', name: 'Barracuda', page: 'https://www.barracudacentral.org/rbl/removal-request' },
] as const;

/** Answers by which a list says that it does not answer this resolver (Spamhaus), and not that the address is listed. */
const REFUSED = /^127\.255\.255\./;

const reversed = (address: string): string => address.split('.').reverse().join('.');

/** @returns whether an address is listed; undefined if the list does not say. */
const isListed = async (address: string, zone: string, lookup: Resolver): Promise<boolean | undefined> => {
  try {
    const answers = await lookup.resolve4(`${reversed(address)}.${zone}`);
    if (answers.every(answer => REFUSED.test(answer))) return undefined;
    return answers.some(answer => answer.startsWith('127.'));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOTFOUND', 'ENODATA'].includes(code) ? false : undefined;
  }
};

/** Whether receivers refuse mail of this server because of a block list. */
export const blockListFindings = (
  addresses: readonly string[] = serverAddresses().ipv4,
  lookup = new Resolver({ timeout: ANSWER_WITHIN_MS, tries: 2 }),
): Promise<readonly Finding[]> =>
  Promise.all(
    addresses.flatMap(address =>
      LISTS.map(async ({ zone, name, page }): Promise<Finding> => {
        const check = `${address} at ${name}`;
        const listed = await isListed(address, zone, lookup);
        if (listed === false) return { check, verdict: 'good', found: 'not listed' };
        if (listed)
          return { check, verdict: 'bad', found: 'listed', advice: `See why, and ask for the removal: ${page}` };
        const advice = 'The list answers no public name servers; use one of your own.';
        return { check, verdict: 'warning', found: 'could not be looked up', advice, unknown: true };
      }),
    ),
  );
