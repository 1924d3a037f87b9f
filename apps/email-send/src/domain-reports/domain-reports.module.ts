import { Module } from '@nestjs/common';
import { SendingDomainsModule } from '../sending-domains/sending-domains.module.js';
import { DomainReportRepository } from './domain-report-repository.js';
import { GetDomainReports } from './get-domain-reports.js';
import { RecordDomainReport } from './record-domain-report.js';

/** DMARC and TLS reports of receivers about sending domains. */
@Module({
  imports: [SendingDomainsModule],
  providers: [DomainReportRepository, RecordDomainReport, GetDomainReports],
})
export class DomainReportsModule {}
