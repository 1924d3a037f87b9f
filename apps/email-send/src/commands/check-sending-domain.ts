import { Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { checkDkim, checkDmarc, checkSpf, dkimRecordName, dmarcRecordName } from '../domain/domain-records.js';
import { emailService, emailServiceStream } from '../domain/email-service.js';
import { type SendingDomain, sendingDomain, sendingDomainStream } from '../domain/sending-domain.js';
import { AdministrationSettings, DkimKeys, DnsResolver, DomainChecks } from '../ports.js';

const SOON_S = 5 * 60;
const DAILY_S = 24 * 60 * 60;

/**
 * Looks up the records of one domain and draws the conclusions: verified, lost, restored, key rotated; and its service
 * moves to production. Every step may be repeated, so a check that was cut short is simply made again.
 */
@Injectable()
export class CheckSendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly dns: DnsResolver,
    private readonly keys: DkimKeys,
    private readonly checks: DomainChecks,
    private readonly settings: AdministrationSettings,
  ) {}

  /** Answers the domain as it stands after the check; a removed one is only forgotten. */
  async execute(domainId: string): Promise<SendingDomain> {
    const before = await this.streams.stateOf(sendingDomain, sendingDomainStream(domainId));
    if (before.id === undefined) {
      await this.checks.forget(domainId);
      return before;
    }
    const records = await this.#lookUp(before);
    const events = await this.streams.execute(sendingDomain, sendingDomainStream(domainId), {
      kind: 'see-records',
      records,
      at: new Date().toISOString(),
    });
    for (const event of events) {
      if (event.type === 'email-send.dkim-key-rotated.v1') await this.keys.destroy([event.data.retired_key_id]);
    }
    const after = events.reduce(sendingDomain.evolve, before);
    if (after.status !== 'pending') await this.#moveToProduction(after, domainId);
    const settled = after.status === 'verified' && after.nextDkim === undefined;
    await this.checks.checked(domainId, settled ? DAILY_S : SOON_S);
    return after;
  }

  #lookUp({ domain, dkim, nextDkim }: SendingDomain) {
    const signing = [dkim, nextDkim].filter(key => key !== undefined);
    return Promise.all([
      checkSpf(domain, this.settings.spfHost, name => this.dns.lookUpTxt(name)),
      ...signing.map(async ({ selector, record }) => {
        const name = dkimRecordName(selector, domain);
        return checkDkim(name, record, await this.dns.lookUpTxt(name));
      }),
      this.dns.lookUpTxt(dmarcRecordName(domain)).then(answer => checkDmarc(dmarcRecordName(domain), answer)),
    ]);
  }

  async #moveToProduction({ serviceId, domain }: SendingDomain, domainId: string): Promise<void> {
    const service = await this.streams.stateOf(emailService, emailServiceStream(serviceId));
    if (service.mode === 'production') return;
    await this.streams.execute(emailService, emailServiceStream(serviceId), {
      kind: 'domain-verified',
      domainId,
      domain,
      dailyStart: this.settings.limits.productionDailyStart,
      at: new Date().toISOString(),
    });
  }
}
