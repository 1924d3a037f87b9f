import { Injectable } from '@nestjs/common';
import { type getEmailStats, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { ratesOf } from './email-rates.js';
import type { EmailCounts } from '../messages/tracked-email-row.js';
import { COUNT_NAMES, NOTHING } from '../messages/tracked-emails.projection.js';

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;

/**
 * Counts of recipients per UTC day on which their email was accepted: whatever becomes of an email later counts for
 * its day, so that no rate is above one. Mail to the simulator is left out, and so are machines in `opened`, `clicked`.
 */
@Injectable()
export class EmailStats {
  constructor(private readonly database: Database) {}

  /** Every day from `from` to `to`, both included. Refuses `invalid_input`: the wrong way round, or over a year. */
  async get({ service_id, from, to }: RequestOf<typeof getEmailStats>): Promise<ReplyOf<typeof getEmailStats>> {
    const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (length < 1) throw new Refusal('invalid_input', 'to: must not lie before from');
    if (length > MOST_DAYS) throw new Refusal('invalid_input', `to: at most ${MOST_DAYS} days can be asked for`);
    const { rows } = await this.database.pool.query<EmailCounts & { date: string }>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS date, ${COUNT_NAMES.join(', ')} FROM daily_email_counts
       WHERE service_id = $1 AND day BETWEEN $2 AND $3`,
      [service_id, from, to],
    );
    const known = new Map(rows.map(row => [row.date, row]));
    const days = Array.from({ length }, (_, place) => {
      const date = new Date(Date.parse(from) + place * DAY_MS).toISOString().slice(0, 10);
      return known.get(date) ?? { date, ...NOTHING };
    });
    const total = { ...NOTHING };
    for (const day of days) for (const name of COUNT_NAMES) total[name] += day[name];
    return { total, rates: ratesOf(total), days };
  }
}
