import type { CaaRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { Configuration } from '../configuration/schema.js';
import type { Finding } from '../preflight/finding.js';

const ANSWER_WITHIN_MS = 3_000;
/** The names by which certificate authorities are permitted in CAA records. */
const AUTHORITIES: Readonly<Record<string, string>> = {
  'acme-v02.api.letsencrypt.org': 'letsencrypt.org',
  'acme-staging-v02.api.letsencrypt.org': 'letsencrypt.org',
  'acme.zerossl.com': 'sectigo.com',
  'dv.acme-v02.api.pki.goog': 'pki.goog',
};

/** The CAA records that concern a name: those of the nearest parent that has some (RFC 8659 §3). */
const relevantRecords = async (name: string, lookup: Resolver): Promise<readonly CaaRecord[]> => {
  for (let labels = name.split('.'); labels.length > 1; labels = labels.slice(1)) {
    const found = await lookup.resolveCaa(labels.join('.')).catch((error: NodeJS.ErrnoException) => {
      if (['ENOTFOUND', 'ENODATA'].includes(error.code ?? '')) return [];
      throw error;
    });
    if (found.length > 0) return found;
  }
  return [];
};

/** Whether the domains permit the certificate authority of this installation. */
export const caaFindings = (
  { host, apps, acme }: Pick<Configuration, 'host' | 'apps' | 'acme'>,
  lookup = new Resolver({ timeout: ANSWER_WITHIN_MS, tries: 2 }),
): Promise<readonly Finding[]> => {
  const authority = AUTHORITIES[new URL(acme.directory).hostname];
  if (authority === undefined) return Promise.resolve([]);
  return Promise.all(
    [host, ...(apps === undefined ? [] : [apps])].map(async (name): Promise<Finding> => {
      const check = `${name} CAA`;
      try {
        const issuers = (await relevantRecords(name, lookup)).flatMap(({ issue }) => issue ?? []);
        if (issuers.length === 0 || issuers.some(issue => issue.split(';')[0]?.trim() === authority))
          return { check, verdict: 'good', found: `permits ${authority}` };
        return {
          check,
          verdict: 'bad',
          found: `permits only ${issuers.join(', ')} to issue certificates`,
          advice: `Publish: ${name}. CAA 0 issue "${authority}"`,
        };
      } catch (error) {
        const { code = (error as Error).message } = error as NodeJS.ErrnoException;
        const advice = 'Check the name server of this machine.';
        return { check, verdict: 'warning', found: `could not be looked up (${code})`, advice, unknown: true };
      }
    }),
  );
};
