import { Injectable } from '@nestjs/common';
import { Metrics } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { dayStart } from './email-limits.js';
import { LimitDefaults } from './limit-defaults.js';
import { limitsOf, type ServiceLimits } from './service-limits.js';

/** Share of the daily limit above which a service counts as close to its limit. */
const NEAR = 0.8;

/**
 * Exports how much of their daily limits all services have used, read from the database at each collection. One series per
 * service would be one per customer, so services are counted instead.
 */
@Injectable()
export class QuotaGauges {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly defaults: LimitDefaults,
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
        const shares = await this.#sharesUsed();
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

  async #sharesUsed(): Promise<number[]> {
    const counters = await this.prisma.sendingUsage.findMany({
      where: { period: 'day', startsAt: new Date(dayStart(new Date())) },
      select: { serviceId: true, used: true },
    });
    const services = await this.prisma.emailService.findMany({
      where: { id: { in: counters.map(({ serviceId }) => serviceId) } },
      select: { id: true, mode: true, limits: true, dailyQuota: true },
    });
    const usedBy = new Map(counters.map(({ serviceId, used }) => [serviceId, used]));
    return services.map(({ id, mode, limits, dailyQuota }) => {
      const { daily } = limitsOf(
        {
          mode: mode as 'sandbox' | 'production',
          limits: limits as ServiceLimits,
          dailyQuota: dailyQuota ?? undefined,
        },
        this.defaults,
      );
      return (usedBy.get(id) ?? 0) / daily;
    });
  }
}
