import { Injectable } from '@nestjs/common';
import { dayStart } from '../emails/email-limits.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { SentToday } from './ports.js';

/** Reads the counters of the daily limit. */
@Injectable()
export class PostgresSentToday extends SentToday {
  constructor(private readonly prisma: PrismaClient) {
    super();
  }

  async countsOf(serviceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counters = await this.prisma.sendingUsage.findMany({
      where: { serviceId: { in: [...serviceIds] }, period: 'day', startsAt: new Date(dayStart(new Date())) },
    });
    return new Map(counters.map(({ serviceId, used }) => [serviceId, used]));
  }
}
