import type pg from 'pg';
import { inSteps } from './in-steps.js';
import { ACCEPT, PURGE } from './inbox.sql.js';

/**
 * Deduplicates events: a consumer records consumed events in the transaction of their effect, because it reads some again
 * after a crash or after a restore.
 */
export class Inbox {
  constructor(private readonly pool: pg.Pool) {}

  /** Records the events in `tx` and returns those that are new to this consumer. */
  async accept(
    tx: Pick<pg.ClientBase, 'query'>,
    consumer: string,
    eventIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const { rows } = await tx.query<{ event_id: string }>({
      name: 'event-store-inbox-accept',
      text: ACCEPT,
      values: [consumer, eventIds],
    });
    return new Set(rows.map(({ event_id }) => event_id));
  }

  /** Deletes records older than `days`. A consumer reads no event again that it has handled more than a few seconds ago. */
  async purge(days = 30): Promise<number> {
    return inSteps(this.pool, PURGE, [days]);
  }
}
