import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, KeyRing } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { COUNT_MAIL, UNCOUNT_MAIL } from '../system-mail/notice-limits.sql.js';

/** Counts a code mail of a service within an hour, unless the limit is reached. */
export const COUNT_CODE_MAIL = `
  INSERT INTO code_mails AS m (service_id, hour, sent) VALUES ($1, $2, 1)
  ON CONFLICT (service_id, hour) DO UPDATE SET sent = m.sent + 1 WHERE m.sent < $3`;

/** Undoes the count of a code mail that was not sent. */
export const UNCOUNT_CODE_MAIL =
  'UPDATE code_mails SET sent = sent - 1 WHERE service_id = $1 AND hour = $2 AND sent > 0';

/** A mail with a code, as it is counted. */
export interface CodeMail {
  readonly serviceId: string;
  readonly workspaceId: string;
  /** Of the recipient, over all services and spellings of the address. */
  readonly mailboxHash: Buffer;
  readonly at: Date;
}

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

/** Creates verification codes, hashed under the encryption keys, and limits how many are mailed. Mails are counted per clock hour and UTC day, over all replicas. */
@Injectable()
export class VerificationCodes {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    @Inject(CONFIG) private readonly limits: Limits,
  ) {}

  /** Six unpredictable digits. */
  newCode(): string {
    return String(randomInt(1_000_000)).padStart(6, '0');
  }

  /** Keyed hashes of a code for one recipient, one per encryption key; a new code is stored under the first. */
  hashesOf(recipientId: string, code: string): readonly [string, ...string[]] {
    return this.keys.keyedHashes(`${recipientId} ${code}`, PURPOSE);
  }

  /** Counts a code mail; refuses with `too_many_codes` above a limit of its service, workspace or mailbox. */
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

  /** Undoes `reserve` for a mail that was not sent. */
  release(mail: CodeMail): Promise<void> {
    return inTransaction(this.database.pool, async client => {
      await client.query(UNCOUNT_CODE_MAIL, [mail.serviceId, startOf(mail.at, HOUR_MS)]);
      for (const { scope, subject, startsAt } of this.#counters(mail))
        await client.query(UNCOUNT_MAIL, [scope, subject, startsAt]);
    });
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
