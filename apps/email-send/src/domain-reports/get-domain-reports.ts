import { Inject } from '@nestjs/common';
import { getDomainReports, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { SendingDomains } from '../sending-domains/sending-domains.projection.js';
import { DomainReportRepository } from './domain-report-repository.js';
import { adviceOnFailure, adviceOnSource } from './report-advice.js';
import { keptSince } from './report-days.js';
import { reportRecords } from './report-records.js';

/** The reports of receivers about a domain, with advice. */
@Handles(getDomainReports)
export class GetDomainReports {
  constructor(
    private readonly domains: SendingDomains,
    private readonly reports: DomainReportRepository,
    @Inject(CONFIG) private readonly config: Pick<EmailSendConfig, 'bounceDomain'>,
  ) {}

  /** Refuses with `service_not_found` or `domain_not_found`. */
  async execute(request: RequestOf<typeof getDomainReports>): Promise<ReplyOf<typeof getDomainReports>> {
    const { bounceDomain } = this.config;
    const { id, domain, records } = await this.domains.get(request);
    const since = keptSince(new Date());
    const { dmarc, tls, reports } = await this.reports.find(id, since);
    const policy = records.find(({ purpose }) => purpose === 'dmarc');
    return {
      since: since.toISOString(),
      records: reportRecords(domain, bounceDomain, policy?.found ?? [], policy?.name),
      dmarc: {
        ...dmarc,
        sources: dmarc.sources.map(source => ({ ...source, advice: adviceOnSource(source, domain, bounceDomain) })),
      },
      tls: {
        ...tls,
        failures: tls.failures.map(failure => ({ ...failure, advice: adviceOnFailure(failure.result_type, domain) })),
      },
      reports,
    };
  }
}
