import { Inject, Injectable } from '@nestjs/common';
import { deleteExpiredStreams } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, Every, firstIdAt, type TaskRun } from '@postern/service-host';
import type pg from 'pg';
import type { DeliveryTrackingConfig } from '../config.js';
import { countChanges } from '../tracked-emails/day-of-counts.js';
import { trackedEmailStream } from '../tracked-emails/tracked-email-events.js';
import { otherRecipients, type TrackedEmailRow } from '../tracked-emails/tracked-email-row.js';
import { DELETE_EMAILS, FIND_OLD_EMAILS, KEEP_COUNTS, LOAD_EMAILS } from './retention.sql.js';

const DAY_MS = 86_400_000;

/** Removes messages whose retention is over: rows, events and notices. Their counts are kept. */
@Injectable()
export class RemoveOldMessages {
  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
    @Inject(CONFIG) private readonly config: Pick<DeliveryTrackingConfig, 'messageRetentionDays'>,
  ) {}

  @Every(3_600_000, 'remove old messages')
  async run({ now, signal }: Pick<TaskRun, 'now' | 'signal'>): Promise<void> {
    const before = firstIdAt(new Date(now.getTime() - this.config.messageRetentionDays * DAY_MS));
    const streams = { prefix: trackedEmailStream(''), find: FIND_OLD_EMAILS, deleteRowsOf };
    await deleteExpiredStreams(this.database.pool, streams, before, signal);
  }
}

async function deleteRowsOf(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  const { rows } = await client.query<TrackedEmailRow>(LOAD_EMAILS, [ids]);
  const others = rows.flatMap(otherRecipients);
  await client.query(KEEP_COUNTS, [JSON.stringify(countChanges(rows, new Map()))]);
  await client.query(DELETE_EMAILS, [
    ids,
    others.map(({ service_id }) => service_id),
    others.map(({ address }) => address),
    others.map(({ accepted_at }) => accepted_at),
    others.map(({ email_id }) => email_id),
  ]);
}
