import { Injectable } from '@nestjs/common';
import { type DomainReportOutcome, recordDomainReport } from '@postern/contracts';
import type { DmarcSource, DomainReport } from '@postern/mail';
import { RequestClient } from '@postern/messaging';

/** Stores DMARC and TLS reports about sending domains. Passes reports on to email-send, which owns the sending domains. */
@Injectable()
export class DomainReports {
  constructor(private readonly requests: RequestClient) {}

  /** `reporter` is the address of the author. @throws when the report cannot be stored now. */
  async record(report: DomainReport, reporter: string): Promise<DomainReportOutcome> {
    const { kind, domain, reportId, beginsAt, endsAt, passed, failed, sources, failures } = report;
    const { outcome } = await this.requests.request(recordDomainReport, {
      kind,
      domain,
      reporter,
      report_id: reportId,
      begins_at: beginsAt.toISOString(),
      ends_at: endsAt.toISOString(),
      passed,
      failed,
      sources: sources.map(reportedSource),
      failures: failures.map(({ resultType, mailServer, sessions }) => ({
        result_type: resultType,
        mail_server: mailServer,
        sessions,
      })),
    });
    return outcome;
  }
}

const reportedSource = ({ sourceIp, dkimAligned, spfAligned, dkimDomain, spfDomain, ...counts }: DmarcSource) => ({
  source_ip: sourceIp,
  dkim_aligned: dkimAligned,
  spf_aligned: spfAligned,
  ...counts,
  ...(dkimDomain === undefined ? {} : { dkim_domain: dkimDomain }),
  ...(spfDomain === undefined ? {} : { spf_domain: spfDomain }),
});
