import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, KeyRing } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { COUNT_MAIL, UNCOUNT_MAIL } from '../notice-limits/notice-limits.sql.js';
import { type CodeMail, VerificationCodes } from './ports.js';
import { COUNT_CODE_MAIL } from './verified-recipients.sql.js';

type Limits = Pick<
  EmailSendConfig,
  'codesPerWorkspaceHour' | 'codesPerWorkspaceDay' | 'codesPerMailboxHour' | 'codesPerMailboxDay'
>;

interface Counter {
  readonly scope: string;
  readonly subject: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly limit: number;
  readonly reached: string;
}

const MAX_CODES_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PURPOSE = 'verification-code';

/** Codes hashed under the encryption keys. Code mails are counted per clock hour and UTC day, over all replicas. */
@Injectable()
export class PostgresVerificationCodes extends VerificationCodes {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
    @Inject(CONFIG) private readonly limits: Limits,
  ) {
    super();
  }

  newCode(): string {
    return String(randomInt(1_000_000)).padStart(6, '0');
  }

  hashesOf(recipientId: string, code: string): readonly [string, ...string[]] {
    return this.keys.keyedHashes(`${recipientId} ${code}`, PURPOSE);
  }

  reserve(mail: CodeMail): Promise<void> {
    const { serviceId, at } = mail;
    // Every replica counts in the same order, so that two of them never wait for each other.
    return inTransaction(this.database.pool, async client => {
      const hour = startOf(at, HOUR_MS);
      const ofService = await client.query(COUNT_CODE_MAIL, [serviceId, hour, MAX_CODES_PER_HOUR]);
      const reached = `this email service has mailed ${MAX_CODES_PER_HOUR} codes within the hour`;
      if (ofService.rowCount === 0) throw tooMany(reached, at, new Date(hour.getTime() + HOUR_MS));
      for (const { scope, subject, startsAt, limit, ...counter } of this.#counters(mail)) {
        const { rowCount } = await client.query(COUNT_MAIL, [scope, subject, startsAt, limit]);
        if (rowCount === 0) throw tooMany(counter.reached, at, counter.endsAt);
      }
    });
  }

  async release(mail: CodeMail): Promise<void> {
    await this.prisma.codeMail.updateMany({
      where: { serviceId: mail.serviceId, hour: startOf(mail.at, HOUR_MS), sent: { gt: 0 } },
      data: { sent: { decrement: 1 } },
    });
    for (const { scope, subject, startsAt } of this.#counters(mail)) {
      await this.database.pool.query(UNCOUNT_MAIL, [scope, subject, startsAt]);
    }
  }

  #counters({ workspaceId, mailboxHash, at }: CodeMail): Counter[] {
    const mailbox = mailboxHash.toString('hex');
    const counter = (scope: string, subject: string, lengthMs: number, limit: number, reached: string): Counter => {
      const startsAt = startOf(at, lengthMs);
      return { scope, subject, startsAt, endsAt: new Date(startsAt.getTime() + lengthMs), limit, reached };
    };
    const { codesPerWorkspaceHour, codesPerWorkspaceDay, codesPerMailboxHour, codesPerMailboxDay } = this.limits;
    const ofWorkspace = (limit: number) => `this workspace has mailed ${limit} codes within the`;
    const toMailbox = (limit: number) => `this mailbox was sent ${limit} codes within the`;
    return [
      counter(
        'workspace-hour',
        workspaceId,
        HOUR_MS,
        codesPerWorkspaceHour,
        `${ofWorkspace(codesPerWorkspaceHour)} hour`,
      ),
      counter('workspace-day', workspaceId, DAY_MS, codesPerWorkspaceDay, `${ofWorkspace(codesPerWorkspaceDay)} day`),
      counter('mailbox-hour', mailbox, HOUR_MS, codesPerMailboxHour, `${toMailbox(codesPerMailboxHour)} hour`),
      counter('mailbox-day', mailbox, DAY_MS, codesPerMailboxDay, `${toMailbox(codesPerMailboxDay)} day`),
    ];
  }
}

const startOf = (at: Date, lengthMs: number): Date => new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);

const tooMany = (reached: string, at: Date, until: Date): Refusal =>
  new Refusal('too_many_codes', `${reached}; try again later`, {
    retry_after_s: Math.max(1, Math.ceil((until.getTime() - at.getTime()) / 1_000)),
  });
