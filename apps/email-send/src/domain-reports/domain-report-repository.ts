import { Injectable } from '@nestjs/common';
import type { DomainReportOutcome, DomainReports, RequestOf, recordDomainReport } from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import {
  FIND_OWNERS,
  IS_STORED,
  LOCK_REPORTS,
  NEWEST_REPORTS,
  REPORT_TOTALS,
  REPORTED_FAILURES,
  REPORTED_SOURCES,
  STORE_REPORT,
} from './domain-reports.sql.js';

export type ReceivedReport = RequestOf<typeof recordDomainReport>;

type WithoutAdvice<Row> = Omit<Row, 'advice'>;

/** The stored reports about a domain. */
export interface StoredReports {
  readonly dmarc: Omit<DomainReports['dmarc'], 'sources'> & {
    readonly sources: readonly WithoutAdvice<DomainReports['dmarc']['sources'][number]>[];
  };
  readonly tls: Omit<DomainReports['tls'], 'failures'> & {
    readonly failures: readonly WithoutAdvice<DomainReports['tls']['failures'][number]>[];
  };
  readonly reports: DomainReports['reports'];
}

type Source = StoredReports['dmarc']['sources'][number];
type Failure = StoredReports['tls']['failures'][number];
type Report = DomainReports['reports'][number];

interface TotalRow {
  readonly kind: 'dmarc' | 'tls';
  readonly passed: number;
  readonly failed: number;
}

interface SourceRow extends Omit<Source, 'messages' | 'disposition' | 'dkim_domains' | 'spf_domains'> {
  readonly quarantined: number;
  readonly rejected: number;
  readonly dkim_domains: string[] | null;
  readonly spf_domains: string[] | null;
}

interface ReportRow extends Omit<Report, 'begins_at' | 'ends_at' | 'received_at'> {
  readonly begins_at: Date;
  readonly ends_at: Date;
  readonly received_at: Date;
}

/** Reports of receivers, stored for each service that has verified the domain. */
@Injectable()
export class DomainReportRepository {
  constructor(private readonly database: Database) {}

  /** `reporterDomain` is the registered domain of the reporter, which bounds the number of its reports. */
  async store(report: ReceivedReport, reporterDomain: string): Promise<DomainReportOutcome> {
    const { kind, domain, reporter, report_id, begins_at, ends_at, passed, failed, sources, failures } = report;
    const { rows } = await this.database.pool.query<{ id: string }>(FIND_OWNERS, [domain]);
    const owners = rows.map(({ id }) => id);
    if (owners.length === 0) return 'unknown_domain';
    const key = [owners, kind, reporter, report_id];
    const details = JSON.stringify(kind === 'dmarc' ? sources : failures);
    return inTransaction(this.database.pool, async client => {
      await client.query(LOCK_REPORTS);
      const values = [...key, reporterDomain, begins_at, ends_at, passed, failed, details];
      const { rowCount } = await client.query(STORE_REPORT, values);
      if (rowCount) return 'stored';
      const known = await client.query<{ stored: boolean }>(IS_STORED, key);
      return known.rows[0]?.stored ? 'repeated_report' : 'report_limit_reached';
    });
  }

  /** Reports about days that end after `since`. */
  async find(domainId: string, since: Date): Promise<StoredReports> {
    const { pool } = this.database;
    const values = [domainId, since];
    const [totals, sources, failures, reports] = await Promise.all([
      pool.query<TotalRow>(REPORT_TOTALS, values),
      pool.query<SourceRow>(REPORTED_SOURCES, values),
      pool.query<Failure>(REPORTED_FAILURES, values),
      pool.query<ReportRow>(NEWEST_REPORTS, values),
    ]);
    const totalOf = (kind: TotalRow['kind']) => totals.rows.find(row => row.kind === kind) ?? { passed: 0, failed: 0 };
    const [dmarc, tls] = [totalOf('dmarc'), totalOf('tls')];
    return {
      dmarc: {
        messages: dmarc.passed + dmarc.failed,
        passed: dmarc.passed,
        failed: dmarc.failed,
        sources: sources.rows.map(sourceOf),
      },
      tls: { sessions: tls.passed + tls.failed, passed: tls.passed, failed: tls.failed, failures: failures.rows },
      reports: reports.rows.map(reportOf),
    };
  }
}

const sourceOf = ({ quarantined, rejected, dkim_domains, spf_domains, ...row }: SourceRow): Source => {
  const messages = row.passed + row.failed;
  return {
    ...row,
    messages,
    // Each count is limited separately, so the rejected messages of a source can exceed its total.
    disposition: { none: Math.max(0, messages - quarantined - rejected), quarantine: quarantined, reject: rejected },
    dkim_domains: dkim_domains ?? [],
    spf_domains: spf_domains ?? [],
  };
};

const reportOf = (row: ReportRow): Report => ({
  ...row,
  begins_at: row.begins_at.toISOString(),
  ends_at: row.ends_at.toISOString(),
  received_at: row.received_at.toISOString(),
});
