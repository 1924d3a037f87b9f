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
    const { trackingHost } = domain;
    if (domain.status === 'records_lost' && !domain.ownerNotified)
      await this.#notifyOwners(domain, domainId, 'records', domain.domain, lossMail);
    if (trackingHost?.status === 'record_lost' && !trackingHost.ownerNotified)
      await this.#notifyOwners(domain, domainId, 'tracking-host', trackingHost.host, trackingLossMail);
  }

  /** `name` is the domain or the host whose records are lost. */
  async #notifyOwners(
    domain: SendingDomain,
    domainId: string,
    about: 'records' | 'tracking-host',
    name: string,
    textOf: typeof lossMail,
  ): Promise<void> {
    const service = await this.streams.stateOf(emailService, emailServiceStream(domain.serviceId));
    const { workspaceId } = service;
    const addresses = workspaceId === undefined ? [] : await this.workspaces.ownerAddressesIn(workspaceId);
    const text = textOf(domain, plainName(service.name));
    for (const address of addresses) await this.#mailTo(address, name, text);
    await this.streams.execute(sendingDomain, sendingDomainStream(domainId), {
      kind: 'note-owner-notified',
      about,
      at: new Date().toISOString(),
    });
  }

  async #mailTo(address: string, name: string, text: string): Promise<void> {
    const notice = { address, kind: `records of ${name}`, at: new Date() };
    if (!(await this.limits.take(notice))) return;
    try {
      await this.mail.send(address, `DNS records of ${name} are missing`, text);
    } catch (error) {
      await this.limits.release(notice);
      throw error;
    }
  }
}

/** A problem quotes the records that were found. */
const MAX_PROBLEM = 300;

const lossMail = ({ domain, problems }: SendingDomain, serviceName: string): string =>
  [
    `The DNS records of ${domain}, a verified sending domain of your email service "${serviceName}", have a problem:`,
    '',
    ...problems.map(problem => `- ${problem.slice(0, MAX_PROBLEM)}`),
    '',
    'Mail from this domain is still sent, but receivers may reject it or put it into spam folders.',
    'The dashboard shows the expected value of each record. The records are checked again every few minutes.',
    '',
  ].join('\n');

const trackingLossMail = ({ domain, trackingHost }: SendingDomain, serviceName: string): string =>
  [
    `The DNS record of ${trackingHost?.host}, the tracking host of ${domain} in your email service "${serviceName}", has a problem:`,
    '',
    `- ${trackingHost?.problem.slice(0, MAX_PROBLEM)}`,
    '',
    'Links and pixels of new messages use the host of this installation until the record is found again.',
    'Links with the tracking host in messages that were sent before do not work while the record is missing.',
    'The dashboard shows the expected value. The record is checked again every few minutes.',
    '',
  ].join('\n');
