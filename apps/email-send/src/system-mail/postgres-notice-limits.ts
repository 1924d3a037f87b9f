import { Inject, Injectable } from '@nestjs/common';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { MailboxHashes } from '../code-opt-outs/ports.js';
import { COUNT_MAIL, UNCOUNT_MAIL } from './notice-limits.sql.js';
import { type LimitedNotice, NoticeLimits } from './ports.js';

/** Notices of one kind to one mailbox, per clock hour and UTC day. */
const WINDOWS = [
  { scope: 'notice-hour', lengthMs: 3_600_000, limit: 10 },
  { scope: 'notice-day', lengthMs: 24 * 3_600_000, limit: 20 },
] as const;

class LimitReached extends Error {}

/** Counts notices by a hash of the mailbox, in the table of the code mails. */
@Injectable()
export class PostgresNoticeLimits extends NoticeLimits {
  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
    private readonly hashes: MailboxHashes,
  ) {
    super();
  }

  override async take(notice: LimitedNotice): Promise<boolean> {
    const subject = await this.#subjectOf(notice);
    try {
      // Every replica counts in the same order, so that two of them never wait for each other.
      await inTransaction(this.database.pool, async client => {
        for (const { scope, lengthMs, limit } of WINDOWS) {
          const { rowCount } = await client.query(COUNT_MAIL, [scope, subject, startOf(notice.at, lengthMs), limit]);
          if (rowCount === 0) throw new LimitReached();
        }
      });
      return true;
    } catch (error) {
      if (error instanceof LimitReached) return false;
      throw error;
    }
  }

  override async release(notice: LimitedNotice): Promise<void> {
    const subject = await this.#subjectOf(notice);
    for (const { scope, lengthMs } of WINDOWS)
      await this.database.pool.query(UNCOUNT_MAIL, [scope, subject, startOf(notice.at, lengthMs)]);
  }

  async #subjectOf({ address, kind }: LimitedNotice): Promise<string> {
    return `${(await this.hashes.hashOf(address)).toString('hex')} ${kind}`;
  }
}

const startOf = (at: Date, lengthMs: number): Date => new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
