import { Injectable } from '@nestjs/common';
import { DOMAIN_REPORTS_MAILBOX } from '@postern/contracts';
import { authorOfMail, readDomainReports } from '@postern/mail';
import { AuthorSignatures } from './author-signatures.js';
import { DomainReports } from './domain-reports.js';
import { type ReceivedReport } from './ports.js';
import { ReportMetrics } from './report-metrics.js';

/** Whether DMARC and TLS reports arrive at this mailbox of the bounce domain. */
export const isReportsMailbox = (localPart: string): boolean => localPart.toLowerCase() === DOMAIN_REPORTS_MAILBOX;

/**
 * Reads DMARC and TLS reports that the domain of their author has signed (RFC 7489 §7.2, RFC 8460 §3), and passes them on.
 * A mail without effect is counted by cause; its sender gets no error.
 */
@Injectable()
export class ReceiveDomainReports {
  constructor(
    private readonly reports: DomainReports,
    private readonly signatures: AuthorSignatures,
    private readonly metrics: ReportMetrics,
  ) {}

  /** Resolves once the reports are stored or rejected. */
  async execute({ raw }: ReceivedReport): Promise<void> {
    const reporter = authorOfMail(raw);
    if (reporter === undefined || !(await this.signatures.isSigned(raw, reporter))) {
      return this.metrics.ignored('unsigned_domain_report');
    }
    const reports = readDomainReports(raw);
    if (reports.length === 0) return this.metrics.ignored('unreadable_domain_report');
    for (const report of reports) {
      const outcome = await this.reports.record(report, reporter);
      if (outcome === 'stored') this.metrics.received('domain_report', report.kind);
      else this.metrics.ignored(outcome);
    }
  }
}
