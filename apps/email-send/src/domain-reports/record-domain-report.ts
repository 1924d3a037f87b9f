import { type ReplyOf, recordDomainReport } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { getDomain } from 'tldts';
import { DomainReportRepository, type ReceivedReport } from './domain-report-repository.js';
import { isKept } from './report-days.js';

/** Stores a report of a receiver for the services that own the domain; any other report has no effect. */
@Handles(recordDomainReport)
export class RecordDomainReport {
  constructor(private readonly reports: DomainReportRepository) {}

  async execute(report: ReceivedReport): Promise<ReplyOf<typeof recordDomainReport>> {
    if (!isKept(new Date(report.ends_at), new Date())) return { outcome: 'outdated_report' };
    return { outcome: await this.reports.store(report, registeredDomain(report.reporter)) };
  }
}

/** The owner of a registered domain controls all names below it. */
function registeredDomain(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return getDomain(domain, { allowPrivateDomains: false }) ?? domain;
}
