import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { SendingDomainsModule } from '../sending-domains/sending-domains.module.js';
import { GetDomainReports } from './get-domain-reports.js';
import { DomainReportRepository } from './ports.js';
import { PostgresDomainReports } from './postgres-domain-reports.js';
import { PurgeDomainReports } from './purge-domain-reports.js';
import { RecordDomainReport } from './record-domain-report.js';

/** DMARC and TLS reports of receivers about sending domains. */
@Module({
  imports: [PostgresModule, SendingDomainsModule],
  providers: [
    RecordDomainReport,
    GetDomainReports,
    PurgeDomainReports,
    { provide: DomainReportRepository, useClass: PostgresDomainReports },
  ],
})
export class DomainReportsModule {}
