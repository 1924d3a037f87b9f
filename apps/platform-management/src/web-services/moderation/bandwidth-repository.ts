import { Injectable } from '@nestjs/common';
import type { ServiceTraffic } from '@postern/runtime';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { ADD_TRAFFIC } from './bandwidth.sql.js';

/** Stores traffic in one row for each web service and month. */
@Injectable()
export class BandwidthRepository {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Adds all entries or none. */
  async add(month: string, traffic: readonly ServiceTraffic[]): Promise<void> {
    const counted = traffic.filter(({ bytes }) => bytes > 0);
    if (counted.length === 0) return;
    const ids = counted.map(({ webServiceId }) => webServiceId);
    await this.database.pool.query(ADD_TRAFFIC, [month, ids, counted.map(({ bytes }) => Math.round(bytes))]);
  }

  /** Returns the web services above the limit in a month that are not yet suspended for it. */
  async exceeding(month: string, bytes: number): Promise<readonly string[]> {
    const rows = await this.prisma.bandwidthUsage.findMany({
      where: { month: new Date(month), bytes: { gt: bytes }, suspendedAt: null },
      select: { webServiceId: true },
    });
    return rows.map(({ webServiceId }) => webServiceId);
  }

  async markSuspended(webServiceId: string, month: string): Promise<void> {
    await this.prisma.bandwidthUsage.updateMany({
      where: { webServiceId, month: new Date(month) },
      data: { suspendedAt: new Date() },
    });
  }

  /** Returns the web services that were suspended for an earlier month and are not yet resumed. */
  async suspendedBefore(month: string): Promise<readonly string[]> {
    const rows = await this.prisma.bandwidthUsage.findMany({
      where: { month: { lt: new Date(month) }, suspendedAt: { not: null } },
      select: { webServiceId: true },
      distinct: 'webServiceId',
    });
    return rows.map(({ webServiceId }) => webServiceId);
  }

  async markResumed(webServiceId: string, month: string): Promise<void> {
    await this.prisma.bandwidthUsage.updateMany({
      where: { webServiceId, month: { lt: new Date(month) } },
      data: { suspendedAt: null },
    });
  }
}
