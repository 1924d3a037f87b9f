import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { AdjustDailyQuotas } from './adjust-daily-quotas.js';
import { DailyUsageRepository } from './ports.js';

/** Adjusts quotas every minute and deletes old days every six hours. */
@Injectable()
export class DailyQuotasTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly quotas: AdjustDailyQuotas,
    private readonly usage: DailyUsageRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(60_000, 'adjust daily quotas', () => this.quotas.run());
    this.tasks.every(6 * 3_600_000, 'purge evaluated days', () => this.usage.purge());
  }
}
