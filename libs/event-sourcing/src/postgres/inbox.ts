import type pg from 'pg';
import { inSteps } from './in-steps.js';
import { ACCEPT, PURGE } from './inbox.sql.js';

/**
 * What makes "at least once" into "once": a consumer notes the events it takes in the transaction of their effect.
 * The notes are kept for longer than the outbox relay ever looks back, and purged after that.
 */
export class Inbox {
  constructor(private readonly pool: pg.Pool) {}

  /** Notes the events within `tx` and answers those that this consumer sees for the first time. */
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

  /** Forgets notes of more than `days` days ago; must exceed the relay's `lookBackDays`. */
  async purge(days = 30): Promise<number> {
    return inSteps(this.pool, PURGE, [days]);
  }
}
