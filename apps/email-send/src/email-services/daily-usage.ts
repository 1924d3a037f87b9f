import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { type DayCounts, LOOK_BACK_DAYS } from './quota.js';

/** The counts of one finished UTC day of an email service. */
export interface FinishedDay extends DayCounts {
  readonly serviceId: string;
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
}

/** A bounce of, or a complaint about, a copy of a message. */
export interface Report {
  readonly serviceId: string;
  readonly emailId: string;
  readonly kind: 'bounced' | 'complained';
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
}

/** Reports of the last minutes of a day may arrive after the day has ended. */
const SETTLING_MINUTES = 15;

/** Finished days that were not evaluated: messages as the daily limit counted them, and reports as they arrived. */
export const LIST_UNEVALUATED_DAYS = `
  SELECT u.service_id AS "serviceId", to_char(d.day, 'YYYY-MM-DD') AS day, u.used AS messages,
         count(r.*) FILTER (WHERE r.kind = 'bounced')::int AS bounced,
         count(r.*) FILTER (WHERE r.kind = 'complained')::int AS complained
  FROM sending_usage u
  CROSS JOIN LATERAL (SELECT (u.starts_at AT TIME ZONE 'UTC')::date AS day) d
  LEFT JOIN judged_days j ON j.service_id = u.service_id AND j.day = d.day
  LEFT JOIN reported_emails r ON r.service_id = u.service_id AND r.day = d.day
  WHERE u.period = 'day' AND j.service_id IS NULL
    AND u.starts_at + interval '1 day' <= now() - make_interval(mins => $2)
    AND u.starts_at > now() - make_interval(days => $3)
  GROUP BY u.service_id, d.day, u.used
  ORDER BY d.day, u.service_id LIMIT $1`;

/** Messages and reports of each UTC day of each service, until the day has been evaluated. */
@Injectable()
export class DailyUsage {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Finished days that were not evaluated yet, oldest first within a service; no more than `atMost`. */
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

  /** Records reports. Each message counts once per kind, on the day of its first report. */
  async addReports(reports: readonly Report[]): Promise<void> {
    // In order of days, because the first row of a message and kind is the one that is kept.
    const data = reports
      .map(report => ({ ...report, day: new Date(report.day) }))
      .toSorted((one, other) => one.day.getTime() - other.day.getTime());
    await this.prisma.reportedEmail.createMany({ data, skipDuplicates: true });
  }
}
