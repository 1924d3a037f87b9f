import {
  type EmailService,
  listEmailProblems,
  NEARLY_REACHED,
  type Problem,
  type ReplyOf,
  type RequestOf,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { EmailServices } from '../email-services/email-services.projection.js';
import { FIND_TROUBLED_DOMAINS } from './problems.sql.js';

interface DomainRow {
  readonly id: string;
  readonly domain: string;
  readonly status: 'records_lost' | 'pending';
  readonly created_at: Date;
  readonly service_id: string;
  readonly service_name: string;
}

/** Lists what is wrong with the email services of a workspace. */
@Handles(listEmailProblems)
export class ListEmailProblems {
  constructor(
    private readonly services: EmailServices,
    private readonly database: Database,
  ) {}

  async execute({ workspace_id }: RequestOf<typeof listEmailProblems>): Promise<ReplyOf<typeof listEmailProblems>> {
    const [services, { rows }] = await Promise.all([
      this.services.list({ workspace_id }),
      this.database.pool.query<DomainRow>(FIND_TROUBLED_DOMAINS, [workspace_id]),
    ]);
    return { problems: [...services.flatMap(problemsOf), ...rows.map(domainProblem)] };
  }
}

const problemsOf = (service: EmailService): Problem[] => {
  const { id, name, enabled, sent_today, daily_limit } = service;
  const resource = { type: 'email_service', id, name } as const;
  if (!enabled)
    return [
      {
        kind: 'email_service_disabled',
        severity: 'warning',
        message: `The email service “${name}” is disabled; every request with its keys gets 403.`,
        fix: 'Enable it in its settings, or delete it.',
        page: `/services/${id}/settings`,
        resource,
        since: null,
      },
    ];
  if (sent_today < daily_limit * NEARLY_REACHED) return [];
  const isReached = sent_today >= daily_limit;
  const used = `${sent_today} of ${daily_limit} messages`;
  return [
    {
      kind: 'daily_limit_nearly_reached',
      severity: isReached ? 'error' : 'warning',
      message: `The email service “${name}” has sent ${used} today${isReached ? '; more are refused with 429' : ''}.`,
      fix:
        service.mode === 'sandbox'
          ? 'Verify a sending domain, which ends the sandbox, or wait until midnight UTC.'
          : 'Wait until midnight UTC, or ask the operator for a higher limit.',
      page: service.mode === 'sandbox' ? `/services/${id}/domains` : `/services/${id}`,
      resource,
      since: null,
    },
  ];
};

const domainProblem = ({ id, domain, status, created_at, service_id, service_name }: DomainRow): Problem => ({
  kind: status === 'pending' ? 'sending_domain_unverified' : 'sending_domain_records_lost',
  severity: status === 'pending' ? 'warning' : 'error',
  message:
    status === 'pending'
      ? `The sending domain ${domain} of “${service_name}” is not verified; its messages leave from the sandbox sender.`
      : `DNS records of the sending domain ${domain} of “${service_name}” are missing; receivers may reject its messages.`,
  fix: 'Publish the DNS records that its page shows, then verify it.',
  page: `/services/${service_id}/domains`,
  resource: { type: 'sending_domain', id, name: domain },
  since: status === 'pending' ? created_at.toISOString() : null,
});
