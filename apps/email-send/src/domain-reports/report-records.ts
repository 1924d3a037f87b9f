import type { DomainReports } from '@postern/contracts';
import { dmarcRecordName, dmarcValue, isDmarc, reportAddress } from '../sending-domains/domain-records.js';

/**
 * The records that request reports from receivers. A published DMARC policy is kept, at its name: that of the domain or of
 * its organizational domain.
 */
export function reportRecords(
  domain: string,
  bounceDomain: string,
  published: readonly string[],
  policyName = dmarcRecordName(domain),
): DomainReports['records'] {
  const uri = `mailto:${reportAddress(bounceDomain)}`;
  const policy = published.find(isDmarc);
  const dmarc = policy === undefined ? dmarcValue(bounceDomain) : withReports(policy, uri);
  return [
    { purpose: 'dmarc', type: 'TXT', name: policyName, value: dmarc, ok: policy === dmarc },
    { purpose: 'tls', type: 'TXT', name: `_smtp._tls.${domain}`, value: `v=TLSRPTv1; rua=${uri}`, ok: null },
  ];
}

/** Adds the address to a policy (RFC 7489 §6.3); returns the policy unchanged if it contains the address. */
function withReports(policy: string, uri: string): string {
  const tag = /(^|;)(\s*rua\s*=)([^;]*)/i.exec(policy);
  if (!tag) return `${policy.trim().replace(/;$/, '')}; rua=${uri}`;
  const uris = tag[3]!.split(',').map(each => each.trim());
  // A URI may end with the largest size that its address accepts.
  if (uris.some(each => each.replace(/!\d+[kmgt]?$/i, '').toLowerCase() === uri.toLowerCase())) return policy;
  const all = [...uris, uri].filter(each => each !== '').join(',');
  return policy.replace(tag[0], `${tag[1]}${tag[2]}${all}`);
}
