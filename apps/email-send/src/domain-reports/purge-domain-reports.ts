import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { DomainReportRepository } from './ports.js';
import { keptSince } from './report-days.js';

/** Deletes reports whose retention is over. */
@Injectable()
export class PurgeDomainReports {
  constructor(private readonly reports: DomainReportRepository) {}

  @Every(3_600_000, 'purge domain reports')
  run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    return this.reports.purge(keptSince(now));
  }
}
