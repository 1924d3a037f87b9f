import { Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { Every } from '@postern/service-host';
import { emailService, emailServiceStream } from '../email-services/email-service.js';
import { plainName } from '../system-mail/plain-name.js';
import { NoticeLimits, SystemMail } from '../system-mail/ports.js';
import { Workspaces } from '../workspaces/workspaces.js';
import { CheckSendingDomain } from './check-sending-domain.js';
import { type SendingDomain, sendingDomain, sendingDomainStream } from './sending-domain.js';
import { type DueDomain, SendingDomainRepository } from './sending-domain-repository.js';

/** Domains checked concurrently; most of the time is spent waiting for the DNS. */
const AT_ONCE = 20;

/**
 * Checks every due domain, until its records are found and daily from then on. Mails the owners of the
 * workspace once about each loss of records; a mail that no relay accepted is retried at the next check.
 */
@Injectable()
export class RecheckSendingDomains {
  constructor(
    private readonly streams: Streams,
    private readonly domains: SendingDomainRepository,
    private readonly check: CheckSendingDomain,
    private readonly workspaces: Workspaces,
    private readonly limits: NoticeLimits,
    private readonly mail: SystemMail,
  ) {}

  /** Checks all due domains. A failed check does not stop the others. */
  @Every(15_000, 'recheck sending domains')
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (;;) {
      const due = await this.domains.claimDue(AT_ONCE);
      const results = await Promise.allSettled(due.map(domain => this.#recheck(domain)));
      for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
      if (due.length < AT_ONCE) break;
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} sending domains were not checked`);
  }

  async #recheck({ serviceId, domainId }: DueDomain): Promise<void> {
    const domain = await this.check.execute({ service_id: serviceId, domain_id: domainId });
    if (domain.status === 'records_lost' && !domain.ownerNotified) await this.#notifyOwners(domain, domainId);
  }

  async #notifyOwners({ serviceId, domain, problems }: SendingDomain, domainId: string): Promise<void> {
    const { workspaceId, name } = await this.streams.stateOf(emailService, emailServiceStream(serviceId));
    const addresses = workspaceId === undefined ? [] : await this.workspaces.ownerAddressesIn(workspaceId);
    for (const address of addresses) await this.#mailTo(address, domain, lossMail(domain, plainName(name), problems));
    await this.streams.execute(sendingDomain, sendingDomainStream(domainId), {
      kind: 'note-owner-notified',
      at: new Date().toISOString(),
    });
  }

  async #mailTo(address: string, domain: string, text: string): Promise<void> {
    const notice = { address, kind: `records of ${domain}`, at: new Date() };
    if (!(await this.limits.take(notice))) return;
    try {
      await this.mail.send(address, `DNS records of ${domain} are missing`, text);
    } catch (error) {
      await this.limits.release(notice);
      throw error;
    }
  }
}

/** A problem quotes the records that were found. */
const MAX_PROBLEM = 300;

const lossMail = (domain: string, serviceName: string, problems: readonly string[]): string =>
  [
    `The DNS records of ${domain}, a verified sending domain of your email service "${serviceName}", have a problem:`,
    '',
    ...problems.map(problem => `- ${problem.slice(0, MAX_PROBLEM)}`),
    '',
    'Mail from this domain is still sent, but receivers may reject it or put it into spam folders.',
    'The dashboard shows the expected value of each record. The records are checked again every few minutes.',
    '',
  ].join('\n');
