import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { AdjustDailyQuotas } from './adjust-daily-quotas.js';
import { ConfigLimitDefaults } from './config-limit-defaults.js';
import { CountReports } from './count-reports.js';
import { DailyUsageRepository, LimitDefaults, SentToday } from './ports.js';
import { PostgresDailyUsage } from './postgres-daily-usage.js';
import { PostgresSentToday } from './postgres-sent-today.js';
import { QuotaGauges } from './quota-gauges.js';

/** Daily quotas: usage, reports, and the adjustment after each day. */
@Module({
  imports: [PostgresModule],
  providers: [
    AdjustDailyQuotas,
    CountReports,
    QuotaGauges,
    { provide: LimitDefaults, useClass: ConfigLimitDefaults },
    { provide: DailyUsageRepository, useClass: PostgresDailyUsage },
    { provide: SentToday, useClass: PostgresSentToday },
  ],
  exports: [LimitDefaults, SentToday],
})
export class DailyQuotasModule {}
