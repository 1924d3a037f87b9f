import { Injectable } from '@nestjs/common';
import type { ServiceUsage } from '@postern/runtime';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import type { HistoryWindow, Measurement, RequestRates } from './metrics.js';
import {
  HISTORY_OF_MINUTES,
  HISTORY_OF_SAMPLES,
  type HistoryRow,
  RECORD_MEASUREMENTS,
  ROLL_UP,
} from './metrics.sql.js';

export interface MetricPoint extends Measurement, RequestRates {
  readonly at: Date;
}

/** Stores metrics in PostgreSQL, which also computes the averages. */
@Injectable()
export class MetricStore {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Averages all measurements of the same sample. */
  async record(sampleAt: Date, usages: readonly ServiceUsage[]): Promise<void> {
    if (usages.length === 0) return;
    await this.database.pool.query(RECORD_MEASUREMENTS, [
      sampleAt,
      usages.map(({ webServiceId }) => webServiceId),
      usages.map(({ cpuMillicores }) => cpuMillicores),
      usages.map(({ cpuPercent }) => cpuPercent),
      usages.map(({ memoryBytes }) => memoryBytes),
      usages.map(({ memoryPercent }) => memoryPercent),
      usages.map(({ instances }) => instances),
      usages.map(({ answers }) => answers?.perSecond ?? null),
      usages.map(({ answers }) => answers?.serverErrors ?? null),
      usages.map(({ answers }) => answers?.responseMs ?? null),
    ]);
  }

  /** Averages the samples of all past minutes; repeating it has no further effect. */
  async rollUp(now: Date): Promise<void> {
    await this.database.pool.query(ROLL_UP, [now]);
  }

  /** Returns the latest sample that is not older than `notBefore`. */
  async latest(webServiceId: string, notBefore: Date): Promise<Measurement | undefined> {
    const sample = await this.prisma.metricSample.findFirst({
      where: { webServiceId, at: { gte: notBefore } },
      orderBy: { at: 'desc' },
    });
    return sample ?? undefined;
  }

  /** Returns averages per step, oldest first, without points where nothing was running. */
  async history(webServiceId: string, { step, from }: HistoryWindow): Promise<readonly MetricPoint[]> {
    const statement = step < 60 ? HISTORY_OF_SAMPLES : HISTORY_OF_MINUTES;
    const { rows } = await this.database.pool.query<HistoryRow>(statement, [webServiceId, from, step]);
    return rows.map(pointOf);
  }
}

const pointOf = (row: HistoryRow): MetricPoint => ({
  at: row.at,
  cpuMillicores: row.cpu_millicores,
  cpuPercent: row.cpu_percent,
  memoryBytes: row.memory_bytes,
  memoryPercent: row.memory_percent,
  instances: row.instances,
  requests: row.requests,
  serverErrors: row.server_errors,
  responseMs: row.response_ms,
});
