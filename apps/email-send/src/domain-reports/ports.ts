import type { DomainReportOutcome, DomainReports, RequestOf, recordDomainReport } from '@postern/contracts';

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

/** Reports of receivers, stored for each service that has verified the domain. */
export abstract class DomainReportRepository {
  /** `reporterDomain` is the registered domain of the reporter, which bounds the number of its reports. */
  abstract store(report: ReceivedReport, reporterDomain: string): Promise<DomainReportOutcome>;
  /** Reports about days that end after `since`. */
  abstract find(domainId: string, since: Date): Promise<StoredReports>;
  /** Deletes reports about days that ended before the given time. */
  abstract purge(before: Date): Promise<void>;
}
