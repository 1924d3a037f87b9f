import { Inject, Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { DnsResolver } from './dns-resolver.js';
import {
  checkDkim,
  checkDmarc,
  checkReturnPath,
  dkimRecordName,
  type RecordState,
  returnPathName,
} from './domain-records.js';
import { organizationalDomain } from './public-suffix.js';
import { type SendingDomain, sendingDomain, sendingDomainStream } from './sending-domain.js';
import { SendingDomainRepository } from './sending-domain-repository.js';
import { checkSpf } from './spf-record.js';
import { checkTrackingHost } from './tracking-host.js';
import { trackingTargetOf } from './tracking-target.js';

/** Looks up the DNS records of one domain and records the result and its consequences. */
@Injectable()
export class CheckSendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly dns: DnsResolver,
    private readonly repository: SendingDomainRepository,
    @Inject(CONFIG) private readonly config: EmailSendConfig,
  ) {}

  /** Returns the state after the check; for a removed domain the initial state. */
  async execute(request: { readonly service_id: string; readonly domain_id: string }): Promise<SendingDomain> {
    const { service_id: serviceId, domain_id: domainId } = request;
    const domain = await this.streams.stateOf(sendingDomain, sendingDomainStream(domainId));
    const records = domain.id === undefined ? [] : await this.#checkRecords(domain);
    return this.repository.recordCheck({ serviceId, domainId, records, at: new Date() });
  }

  async #checkRecords({ domain, dkim, nextDkim, trackingHost }: SendingDomain): Promise<RecordState[]> {
    const rsaKeys = [dkim, nextDkim].filter(key => key !== undefined);
    const keys = [...rsaKeys, ...(await this.repository.ed25519KeysOf(rsaKeys))];
    const returnPath = returnPathName(domain);
    const target = trackingTargetOf(this.config);
    return Promise.all([
      checkSpf(domain, this.config.spfHost, name => this.dns.resolveTxt(name)),
      ...keys.map(async ({ selector, record }) => {
        const name = dkimRecordName(selector, domain);
        return checkDkim(name, record, await this.dns.resolveTxt(name));
      }),
      checkDmarc(domain, organizationalDomain(domain), name => this.dns.resolveTxt(name)),
      this.dns.resolveCname(returnPath).then(answer => checkReturnPath(returnPath, this.config.bounceDomain, answer)),
      ...(trackingHost && target
        ? [checkTrackingHost(trackingHost.host, target, name => this.dns.resolveHost(name))]
        : []),
    ]);
  }
}
