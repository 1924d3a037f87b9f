import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { PrismaClient } from '../generated/prisma/client.js';
import { COUNT_NAMES, countsOf, type EmailCounts, NO_COUNTS } from '../tracked-emails/email-counts.js';
import type { TrackedEmailRow } from '../tracked-emails/tracked-email-row.js';

const DAY_MS = 86_400_000;
const READ_AT_ONCE = 2_000;
const MAX_EMAILS = 200_000;

/**
 * Counts of the messages with a tag, from the messages themselves: a tag may have a value of its own in each message, so
 * counters of every tag would be as many as messages.
 */
@Injectable()
export class TaggedEmails {
  constructor(private readonly prisma: PrismaClient) {}

  /** By UTC day of acceptance. Refuses `invalid_input` for more than 200,000 messages. */
  async countsByDay(
    serviceId: string,
    tag: string,
    days: { readonly gte: Date; readonly lte: Date },
    withSimulator: boolean,
  ): Promise<Map<string, EmailCounts>> {
    const where = {
      serviceId,
      tags: { has: tag },
      acceptedAt: { gte: days.gte, lt: new Date(days.lte.getTime() + DAY_MS) },
      ...(withSimulator ? {} : { counts: true }),
    };
    const byDay = new Map<string, EmailCounts>();
    let read = 0;
    for (let after: string | undefined; ; ) {
      const rows = await this.prisma.trackedEmail.findMany({
        where,
        select: { id: true, acceptedAt: true, recipients: true },
        orderBy: { id: 'asc' },
        take: READ_AT_ONCE,
        ...(after === undefined ? {} : { cursor: { id: after }, skip: 1 }),
      });
      for (const { acceptedAt, recipients } of rows) {
        const date = acceptedAt.toISOString().slice(0, 10);
        const sum = byDay.get(date) ?? { ...NO_COUNTS };
        const counts = countsOf({ recipients: recipients as unknown as TrackedEmailRow['recipients'] });
        for (const name of COUNT_NAMES) sum[name] += counts[name];
        byDay.set(date, sum);
      }
      read += rows.length;
      if (rows.length < READ_AT_ONCE) return byDay;
      if (read >= MAX_EMAILS)
        throw new Refusal('invalid_input', `tag: more than ${MAX_EMAILS} messages have it; choose fewer days`);
      after = rows.at(-1)?.id;
    }
  }
}
