import { Injectable } from '@nestjs/common';
import { getEmailStats, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { type DailyEmailCount, PrismaClient } from '../generated/prisma/client.js';
import { TaggedEmails } from '../messages/tagged-emails.js';
import { COUNT_NAMES, type EmailCounts, NO_COUNTS } from '../tracked-emails/email-counts.js';
import { ratesOf } from './email-rates.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;

interface CountsOfDays {
  readonly serviceId: string;
  readonly day: { readonly gte: Date; readonly lte: Date };
}

/**
 * Recipients per UTC day on which their email was accepted, so that no rate exceeds 1. Mail to the simulator counts only
 * on request, and `opened` and `clicked` exclude machines.
 */
@Injectable()
export class EmailStatistics {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly tagged: TaggedEmails,
  ) {}

  /** Returns every day from `from` to `to`, both included. Refuses `invalid_input`: reversed, or over a year. */
  @Handles(getEmailStats)
  async get(request: RequestOf<typeof getEmailStats>): Promise<ReplyOf<typeof getEmailStats>> {
    const { service_id, from, to, simulator, tag } = request;
    const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (length < 1) throw new Refusal('invalid_input', 'to: must not be before from');
    if (length > MAX_DAYS) throw new Refusal('invalid_input', `to: the range is limited to ${MAX_DAYS} days`);
    const where = { serviceId: service_id, day: { gte: new Date(from), lte: new Date(to) } };
    const withSimulator = simulator === 'include';
    const known = await (tag === undefined
      ? this.#countsByDay(where, withSimulator)
      : this.tagged.countsByDay(service_id, tag, where.day, withSimulator));
    const days = Array.from({ length }, (_, index) => {
      const date = new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10);
      return { date, ...(known.get(date) ?? NO_COUNTS) };
    });
    const total = { ...NO_COUNTS };
    for (const day of days) for (const name of COUNT_NAMES) total[name] += day[name];
    return { total, rates: ratesOf(total), days };
  }

  async #countsByDay(where: CountsOfDays, withSimulator: boolean): Promise<Map<string, EmailCounts>> {
    // One snapshot: retention moves counts from one table to the other.
    const tables = [
      this.prisma.dailyEmailCount.findMany({ where }),
      this.prisma.keptDailyCount.findMany({ where: { ...where, ...(!withSimulator && { simulated: false }) } }),
      ...(withSimulator ? [this.prisma.dailySimulatorCount.findMany({ where })] : []),
    ];
    const rows = await this.prisma.$transaction(tables, { isolationLevel: 'RepeatableRead' });
    const byDay = new Map<string, EmailCounts>();
    for (const row of rows.flat()) {
      const date = row.day.toISOString().slice(0, 10);
      const sum = byDay.get(date) ?? { ...NO_COUNTS };
      const counts = countsOf(row);
      for (const name of COUNT_NAMES) sum[name] += counts[name];
      byDay.set(date, sum);
    }
    return byDay;
  }
}

const countsOf = (row: Omit<DailyEmailCount, 'messages'>): EmailCounts => ({
  accepted: row.accepted,
  sent: row.sent,
  failed: row.failed,
  unknown: row.unknown,
  retry_requested: row.retryRequested,
  delivered: row.delivered,
  bounced_hard: row.bouncedHard,
  bounced_soft: row.bouncedSoft,
  complained: row.complained,
  opened: row.opened,
  clicked: row.clicked,
  machine_opens: row.machineOpens,
  machine_clicks: row.machineClicks,
});
