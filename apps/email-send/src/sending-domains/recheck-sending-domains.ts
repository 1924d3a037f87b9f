import { Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { Every } from '@postern/service-host';
import { emailService, emailServiceStream } from '../email-services/email-service.js';
import { SystemMail } from '../system-mail/ports.js';
import { CheckSendingDomain } from './check-sending-domain.js';
import { DomainChecks, type DueDomain } from './ports.js';
import { type SendingDomain, sendingDomain, sendingDomainStream } from './sending-domain.js';

/** Domains checked concurrently; most of the time is spent waiting for the DNS. */
const AT_ONCE = 20;

/**
 * Checks every due domain, until its records are found and daily from then on. Mails the owner once about
 * each loss of records; a mail that no relay accepted is retried at the next check.
 */
@Injectable()
export class RecheckSendingDomains {
  constructor(
    private readonly streams: Streams,
    private readonly checks: DomainChecks,
    private readonly check: CheckSendingDomain,
    private readonly mail: SystemMail,
  ) {}

  /** Checks all due domains. A failed check does not stop the others. */
  @Every(15_000, 'recheck sending domains')
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (;;) {
      const due = await this.checks.claimDue(AT_ONCE);
      const results = await Promise.allSettled(due.map(domain => this.#recheck(domain)));
      for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
      if (due.length < AT_ONCE) break;
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} sending domains were not checked`);
  }

  async #recheck({ serviceId, domainId }: DueDomain): Promise<void> {
    const domain = await this.check.execute({ service_id: serviceId, domain_id: domainId });
    if (domain.status === 'records_lost' && !domain.ownerNotified) await this.#notifyOwner(domain, domainId);
  }

  async #notifyOwner({ serviceId, domain, problems }: SendingDomain, domainId: string): Promise<void> {
    const { ownerEmail, name } = await this.streams.stateOf(emailService, emailServiceStream(serviceId));
    if (ownerEmail !== undefined) {
      await this.mail.send(ownerEmail, `DNS records of ${domain} are missing`, lossMail(domain, name, problems));
    }
    await this.streams.execute(sendingDomain, sendingDomainStream(domainId), {
      kind: 'note-owner-notified',
      at: new Date().toISOString(),
    });
  }
}

const lossMail = (domain: string, serviceName: string, problems: readonly string[]): string =>
  [
    `The DNS records of ${domain}, a verified sending domain of your email service "${serviceName}", have a problem:`,
    '',
    ...problems.map(problem => `- ${problem}`),
    '',
    'Mail from this domain is still sent, but receivers may reject it or put it into spam folders.',
    'The dashboard shows the expected value of each record. The records are checked again every few minutes.',
    '',
  ].join('\n');
