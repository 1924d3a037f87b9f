import { Injectable } from '@nestjs/common';
import { type Append, BEGINNING } from '@postern/event-sourcing';
import { appendAll, inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { EventSourcing, type WriteOptions } from '@postern/service-host';
import type pg from 'pg';
import { READ_MODELS } from '../infrastructure/postgres/read-models.js';
import { STREAM_EVENTS } from './account-transactions.sql.js';

/** Events that a transaction appends to one stream. */
export type StreamEvents = Pick<Append, 'streamId' | 'events'>;

/** Transactions that write events of accounts together with the corresponding rows. */
@Injectable()
export class AccountTransactions {
  readonly #writes: WriteOptions;

  constructor(eventSourcing: EventSourcing) {
    this.#writes = eventSourcing.writeOptions(READ_MODELS.accounts);
  }

  /**
   * Runs `work` in a transaction that locks the streams, appends the events it returns, and waits for the read model.
   * @returns false if `work` returned nothing to append.
   */
  async run(
    streams: readonly string[],
    work: (client: pg.PoolClient) => Promise<readonly StreamEvents[] | undefined>,
  ): Promise<boolean> {
    const { store, waitUntil } = this.#writes;
    const metadata = this.#writes.metadata();
    const position = await inTransaction(store.pool, async client => {
      await lockStreams(client, streams);
      const appends = await work(client);
      if (!appends) return undefined;
      const results = await appendAll(
        client,
        appends.map(append => ({ ...append, expectedVersion: 'any', metadata })),
      );
      return results.reduce((_, result) => {
        if (result instanceof Error) throw result;
        return result.position;
      }, BEGINNING);
    });
    if (!position) return false;
    store.announce();
    await waitUntil(position);
    return true;
  }
}

/** The events of a stream that the transaction has locked. */
export const eventsOf = async <Event>(client: pg.PoolClient, streamId: string): Promise<Event[]> =>
  (await client.query(STREAM_EVENTS, [streamId])).rows as Event[];
