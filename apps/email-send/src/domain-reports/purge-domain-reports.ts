import { Injectable } from '@nestjs/common';
import { DomainReportRepository } from './ports.js';
import { keptSince } from './report-days.js';

/** On a timer: deletes reports whose retention is over. */
@Injectable()
export class PurgeDomainReports {
  constructor(private readonly reports: DomainReportRepository) {}

  run(now = new Date()): Promise<void> {
    return this.reports.purge(keptSince(now));
  }
}
