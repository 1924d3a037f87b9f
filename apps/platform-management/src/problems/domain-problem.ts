import type { Problem } from '@postern/contracts';

export interface DomainRow {
  readonly id: string;
  readonly domain: string;
  readonly message: string | null;
  readonly created_at: Date;
  readonly web_service_id: string;
  readonly name: string;
}

/** A domain that is not verified has no route and gets no certificate. */
export const domainProblem = ({ id, domain, message, created_at, web_service_id, name }: DomainRow): Problem => ({
  kind: 'custom_domain_unverified',
  severity: 'warning',
  message: `The domain ${domain} of “${name}” is not verified, so it has neither a route nor a certificate${message === null ? '' : `: ${message.replace(/\.$/, '')}`}.`,
  fix: 'Create its DNS record, then verify it.',
  page: `/web-services/${web_service_id}/settings`,
  resource: { type: 'custom_domain', id, name: domain },
  since: created_at.toISOString(),
});
