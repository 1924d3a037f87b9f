import { returnPathName } from '../sending-domains/domain-records.js';
import type { StoredReports } from './domain-report-repository.js';

type Source = StoredReports['dmarc']['sources'][number];

/** Returns advice on a source of messages; null if no action is needed. */
export function adviceOnSource(source: Source, domain: string, bounceDomain: string): string | null {
  const isRelay = source.spf_domains.some(name => name === bounceDomain || name === returnPathName(domain));
  if (source.failed > 0) return isRelay ? relayFails(domain) : failing(source, domain);
  if (source.spf_aligned === 0 && source.spf_domains.includes(bounceDomain)) {
    return (
      `This server sends for Postern, and its messages pass by DKIM. Publish the return path record of ${domain} ` +
      `(${returnPathName(domain)}, an optional record), so that they pass by SPF as well.`
    );
  }
  if (source.dkim_aligned === 0) {
    return (
      'Messages of this server pass by SPF only, which fails when they are forwarded. ' +
      `If the server is yours, let it sign with DKIM for ${domain}.`
    );
  }
  return null;
}

const relayFails = (domain: string): string =>
  `This server sends for Postern, but some messages fail DMARC for ${domain}. Verify the domain again, and restore its ` +
  'DKIM record if it is missing. A server between it and the receiver can also have changed the messages.';

function failing({ dkim_domains, spf_domains, passed }: Source, domain: string): string {
  const others = [...new Set([...dkim_domains, ...spf_domains])].filter(name => !isBelow(name, domain));
  if (others.length > 0) {
    return (
      `This server sends as ${others.join(', ')}, not as ${domain}. If it belongs to a provider that you use, set up its ` +
      `DKIM signature for ${domain}, or send through Postern. If you do not know it, somebody may be using your domain.`
    );
  }
  if (passed > 0) {
    return (
      'Some messages of this server pass, others fail: they may be forwarded or changed on the way. ' +
      `If the server is yours, let it sign every message with DKIM for ${domain}.`
    );
  }
  return (
    `Neither DKIM nor SPF passes for ${domain}. If the server is yours, let it sign with DKIM for ${domain}, or send ` +
    'through Postern. If you do not know it, somebody is using your domain: publish p=quarantine, and later p=reject, ' +
    'once your own messages pass.'
  );
}

const isBelow = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

const FAILURES: Readonly<Record<string, string>> = {
  'starttls-not-supported': 'The mail server does not offer STARTTLS. Enable TLS on it.',
  'certificate-expired': 'The certificate of the mail server has expired. Renew it.',
  'certificate-host-mismatch': 'The certificate does not name the mail server. Install one for its host name.',
  'certificate-not-trusted':
    'The certificate is not trusted. Install one of a public certification authority, with its chain.',
  'validation-failure': 'The TLS connection could not be validated. Check the TLS settings of the mail server.',
  'tlsa-invalid': 'The TLSA record does not match the certificate of the mail server. Update the record.',
  'dnssec-invalid': 'DNSSEC validation failed. Check the signatures of the zone.',
  'dane-required': 'A sender requires DANE, and the mail server has no valid TLSA record. Publish one.',
  'sts-policy-invalid': 'The MTA-STS policy is invalid. Check its syntax and its list of mail servers.',
};

/** Returns advice on a TLS failure (RFC 8460 §4.3) at a mail server that receives for the domain. */
export function adviceOnFailure(resultType: string, domain: string): string {
  const host = `mta-sts.${domain}`;
  if (resultType === 'sts-policy-fetch-error') {
    return `The MTA-STS policy could not be read. Serve it at https://${host}/.well-known/mta-sts.txt.`;
  }
  if (resultType === 'sts-webpki-invalid') return `The certificate of ${host} is invalid. Renew it.`;
  return FAILURES[resultType] ?? 'Senders could not use TLS. Check the TLS settings of the mail server.';
}
