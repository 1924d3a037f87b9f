import { inSteps } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { type ClosedDay, DayBook, type Report } from '../../ports.js';

/** Reports of the last minutes of a day may still be on their way when it ends. */
const SETTLING_MINUTES = 15;
/** Older days are let be: what they would change has long been overtaken. */
const LOOK_BACK_DAYS = 30;

const purge = (table: string, isOld: string, limit: number): string =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${isOld} LIMIT $${limit}))`;

/** Messages per day from the limits' own count, reports as they came in. Every number is one of messages. */
export class PostgresDayBook extends DayBook {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async unjudged(atMost: number): Promise<readonly ClosedDay[]> {
    const { rows } = await this.pool.query<ClosedDay>(
      `SELECT u.service_id AS "serviceId", to_char(d.day, 'YYYY-MM-DD') AS day, u.used AS messages,
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
       ORDER BY d.day, u.service_id LIMIT $1`,
      [atMost, SETTLING_MINUTES, LOOK_BACK_DAYS],
    );
    return rows;
  }

  async judged(serviceId: string, day: string): Promise<void> {
    await this.pool.query('INSERT INTO judged_days (service_id, day) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      serviceId,
      day,
    ]);
  }

  async note(reports: readonly Report[]): Promise<void> {
    await this.pool.query(
      `INSERT INTO reported_emails (service_id, email_id, kind, day)
       SELECT DISTINCT ON (s, e, k) s, e, k, d FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::date[]) AS r (s, e, k, d)
       ORDER BY s, e, k, d
       ON CONFLICT DO NOTHING`,
      [
        reports.map(report => report.serviceId),
        reports.map(report => report.emailId),
        reports.map(report => report.kind),
        reports.map(report => report.day),
      ],
    );
  }

  async purge(): Promise<void> {
    for (const table of ['reported_emails', 'judged_days'])
      await inSteps(this.pool, purge(table, 'day < current_date - $1::int', 2), [LOOK_BACK_DAYS + 2]);
    await inSteps(this.pool, purge('code_mails', "hour < now() - interval '1 day'", 1), []);
  }
}
