import { Injectable } from '@nestjs/common';
import { Database, Metrics } from '@postern/service-host';
import { limitsOf, type ServiceLimits } from '../../domain/email-service.js';
import { AdministrationSettings } from '../../ports.js';

interface UsageRow {
  readonly mode: 'sandbox' | 'production';
  readonly limits: ServiceLimits;
  readonly daily_quota: number | null;
  readonly used: number;
}

/** From here on an owner should hear that the day may not be enough. */
const NEAR = 0.8;

const USED_TODAY = `
  SELECT s.mode, s.limits, s.daily_quota, u.used
  FROM sending_usage u JOIN email_services s ON s.id = u.service_id
  WHERE u.period = 'day' AND u.starts_at = date_trunc('day', now(), 'UTC')`;

/**
 * Shows how far the daily limits are used up, over all services: one line for each of them would be a series for every
 * customer. Asked of the database whenever the metrics are collected.
 */
@Injectable()
export class QuotaGauges {
  constructor(
    private readonly database: Database,
    private readonly settings: AdministrationSettings,
    metrics: Metrics,
  ) {
    const meter = metrics.meter('postern.emails');
    const services = meter.createObservableGauge('postern.emails.quota.services', {
      unit: '{service}',
      description: 'Email services that have sent today, by how much of their daily limit is left',
    });
    const highest = meter.createObservableGauge('postern.emails.quota.use.max', {
      unit: '1',
      description: 'Used share of the daily limit, of the service with the highest',
    });
    meter.addBatchObservableCallback(
      async observed => {
        const shares = await this.sharesUsed();
        const exhausted = shares.filter(share => share >= 1).length;
        const near = shares.filter(share => share >= NEAR).length - exhausted;
        observed.observe(services, shares.length - near - exhausted, { standing: 'open' });
        observed.observe(services, near, { standing: 'near' });
        observed.observe(services, exhausted, { standing: 'exhausted' });
        observed.observe(highest, Math.max(0, ...shares));
      },
      [services, highest],
    );
  }

  private async sharesUsed(): Promise<number[]> {
    const { rows } = await this.database.pool.query<UsageRow>({ name: 'quota-used-today', text: USED_TODAY });
    return rows.map(({ mode, limits, daily_quota, used }) => {
      const { daily } = limitsOf({ mode, limits, dailyQuota: daily_quota ?? undefined }, this.settings.limits);
      return used / daily;
    });
  }
}
