import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { PurgeDomainReports } from './purge-domain-reports.js';

/** Deletes old reports every hour. */
@Injectable()
export class DomainReportsTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly purge: PurgeDomainReports,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(3_600_000, 'purge domain reports', () => this.purge.run());
  }
}
