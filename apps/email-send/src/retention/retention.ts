import { Inject, Injectable } from '@nestjs/common';
import { deleteExpiredStreams, type ExpiringStreams, inSteps } from '@postern/event-sourcing/postgres';
import { Database, Every, firstIdAt, type TaskRun } from '@postern/service-host';
import { keptSince } from '../domain-reports/report-days.js';
import { LOOK_BACK_DAYS } from '../email-services/quota.js';
import { emailStream } from '../emails/email.js';
import { recognisedDeadlines } from '../emails/idempotency.js';
import { DELETE_MESSAGES } from '../infrastructure/postgres/messages.sql.js';
import { SendingSettings } from '../relay/ports.js';
import {
  PURGE_BODIES,
  PURGE_CODE_COUNTS,
  PURGE_CODE_MAILS,
  PURGE_DOMAIN_REPORTS,
  PURGE_EVALUATED_DAYS,
  PURGE_KEYS,
  PURGE_OPEN_REQUESTS,
  PURGE_OWNER_MAILS,
  PURGE_REPORTED_EMAILS,
  PURGE_SCHEDULED_EMAILS,
  PURGE_UNRESOLVED,
  PURGE_USAGE,
} from './retention.sql.js';

const DAY_MS = 86_400_000;
/** No evidence arrives for older messages. */
const EVIDENCE_MS = 35 * DAY_MS;
/** Events older than a day are not mailed to owners. */
const OWNER_MAILS_MS = 2 * DAY_MS;
const BODIES_A_STEP = 1_000;
const NIL = '00000000-0000-0000-0000-000000000000';

type Now = Pick<TaskRun, 'now'>;

/**
 * Deletes everything whose retention is over, in small steps, each its own transaction, because an open transaction delays
 * the feed.
 */
@Injectable()
export class Retention {
  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
    private readonly settings: SendingSettings,
  ) {}

  /** Deletes requests too old to recognise a retry, and unresolved messages too old for evidence. */
  @Every(60_000, 'purge open requests')
  purgeOpenRequests({ now }: Now): Promise<void> {
    return this.#inSteps([PURGE_OPEN_REQUESTS, recognisedDeadlines(now).after], [PURGE_UNRESOLVED, idBefore(now)]);
  }

  /** Deletes bodies of final messages, and everything of times that no limit, retry or list uses. */
  @Every(10 * 60_000, 'purge expired rows')
  async purgeExpired({ now }: Now): Promise<void> {
    await this.purgeBodies(new Date(now.getTime() - this.settings.bodyRetentionDays * DAY_MS));
    await this.#inSteps(
      [PURGE_KEYS, now],
      [PURGE_USAGE, now],
      [PURGE_CODE_COUNTS, now],
      [PURGE_CODE_MAILS, now],
      [PURGE_SCHEDULED_EMAILS, now],
    );
  }

  /** Deletes reports about domains, claims of mails to owners, and what can no longer change a quota. */
  @Every(3_600_000, 'purge old reports')
  purgeReports({ now }: Now): Promise<void> {
    return this.#inSteps(
      [PURGE_DOMAIN_REPORTS, keptSince(now)],
      [PURGE_OWNER_MAILS, new Date(now.getTime() - OWNER_MAILS_MS)],
      [PURGE_REPORTED_EMAILS, LOOK_BACK_DAYS + 2],
      [PURGE_EVALUATED_DAYS, LOOK_BACK_DAYS + 2],
    );
  }

  /** Deletes the events, records and bodies of messages whose retention is over. */
  @Every(3_600_000, 'remove old messages')
  async removeOldMessages({ now, signal }: Pick<TaskRun, 'now' | 'signal'>): Promise<void> {
    const before = firstIdAt(new Date(now.getTime() - this.settings.messageRetentionDays * DAY_MS));
    const streams: ExpiringStreams = {
      prefix: emailStream(''),
      deleteRowsOf: (client, ids) => client.query(DELETE_MESSAGES, [ids]),
    };
    await deleteExpiredStreams(this.database.pool, streams, before, signal);
  }

  /** A message is final when it has a record and no copy waits for a retry. */
  async purgeBodies(before: Date): Promise<void> {
    let after = NIL;
    for (;;) {
      const { rows } = await this.database.pool.query<{ examined: number; last: string | null }>(PURGE_BODIES, [
        after,
        firstIdAt(before),
        BODIES_A_STEP,
      ]);
      const { examined = 0, last = null } = rows[0] ?? {};
      if (last === null || examined < BODIES_A_STEP) return;
      after = last;
    }
  }

  async #inSteps(...purges: readonly (readonly [statement: string, value: unknown])[]): Promise<void> {
    for (const [statement, value] of purges) await inSteps(this.database.pool, statement, [value]);
  }
}

const idBefore = (now: Date): string => firstIdAt(new Date(now.getTime() - EVIDENCE_MS));
