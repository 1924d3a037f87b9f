import { isCertificateLate, type Problem } from '@postern/contracts';

export interface CertificateRow {
  readonly id: string;
  readonly domain: string;
  readonly certificate_from: Date | null;
  readonly certificate_until: Date | null;
  readonly certificate_error: string | null;
  readonly certificate_checked_at: Date;
  readonly web_service_id: string;
  readonly name: string;
}

/** A certificate that browsers refuse, and one that was not renewed in time. */
export const certificateProblems = (row: CertificateRow, now = new Date()): Problem[] => {
  const { id, domain, certificate_from: from, certificate_until: until, certificate_error: error } = row;
  const ofDomain = {
    kind: 'custom_domain_certificate',
    fix: 'Its DNS records must lead to this installation, ports 80 and 443 must be open, and a CAA record must allow the certificate authority.',
    page: `/web-services/${row.web_service_id}/settings`,
    resource: { type: 'custom_domain', id, name: domain },
    since: null,
  } as const;
  if (error !== null || until === null || until <= now)
    return [
      {
        ...ofDomain,
        severity: 'error',
        message: `The domain ${domain} of “${row.name}” has no valid certificate, so browsers refuse it${error === null ? '' : `: ${error}`}.`,
      },
    ];
  if (from === null || !isCertificateLate(from, until, now)) return [];
  return [
    {
      ...ofDomain,
      severity: 'warning',
      message: `The certificate of ${domain} of “${row.name}” ends on ${until.toISOString().slice(0, 10)} and was not renewed.`,
    },
  ];
};
