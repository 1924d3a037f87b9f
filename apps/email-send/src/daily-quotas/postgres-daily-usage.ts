import { Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Database, Every } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { LIST_UNEVALUATED_DAYS, PURGE_CODE_MAILS, PURGE_EVALUATED_DAYS, PURGE_REPORTS } from './daily-quotas.sql.js';
import { DailyUsageRepository, type FinishedDay, type Report } from './ports.js';

/** Reports of the last minutes of a day may arrive after the day has ended. */
const SETTLING_MINUTES = 15;
/** Older days are ignored: later days have changed the quota since. */
const LOOK_BACK_DAYS = 30;

/** Daily usage in PostgreSQL. All counts are counts of messages. */
@Injectable()
export class PostgresDailyUsage extends DailyUsageRepository {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {
    super();
  }

  async listUnevaluated(atMost: number): Promise<readonly FinishedDay[]> {
    const { rows } = await this.database.pool.query<FinishedDay>(LIST_UNEVALUATED_DAYS, [
      atMost,
      SETTLING_MINUTES,
      LOOK_BACK_DAYS,
    ]);
    return rows;
  }

  async markEvaluated(serviceId: string, day: string): Promise<void> {
    await this.prisma.judgedDay.createMany({ data: { serviceId, day: new Date(day) }, skipDuplicates: true });
  }

  async addReports(reports: readonly Report[]): Promise<void> {
    // In order of days, because the first row of a message and kind is the one that is kept.
    const data = reports
      .map(report => ({ ...report, day: new Date(report.day) }))
      .toSorted((one, other) => one.day.getTime() - other.day.getTime());
    await this.prisma.reportedEmail.createMany({ data, skipDuplicates: true });
  }

  /** Deletes days and reports that can no longer change a quota. */
  @Every(6 * 3_600_000, 'purge evaluated days')
  async purge(): Promise<void> {
    const { pool } = this.database;
    for (const statement of [PURGE_REPORTS, PURGE_EVALUATED_DAYS]) await inSteps(pool, statement, [LOOK_BACK_DAYS + 2]);
    await inSteps(pool, PURGE_CODE_MAILS, []);
  }
}
