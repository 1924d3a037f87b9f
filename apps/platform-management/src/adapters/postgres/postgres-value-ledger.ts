import { ConcurrencyConflict, type EventMetadata, fold, type Position, upcast } from '@postern/event-sourcing';
import { appendAll, inTransaction, lockStreams, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import {
  type Collection,
  deciderOf,
  type NamedValueCommand,
  type NamedValueEvent,
  type NamedValues,
  slotOf,
  valueIn,
  valueStream,
} from '../../domain/resources/named-values.js';
import { type SetValue, ValueLedger, type ValueToSet } from '../../ports/resources.js';
import { sealedValueRow } from './sealed-values.js';

export interface ValueLedgerOptions {
  readonly store: PostgresEventStore;
  readonly keys: KeyRing;
  readonly waitUntil: (position: Position | undefined) => Promise<void>;
  readonly metadata: () => EventMetadata;
}

interface Decided {
  readonly before: NamedValues;
  readonly events: readonly NamedValueEvent[];
}

/** Values lie sealed beside the events, in the same transaction and never in them: a value has to be forgettable. */
export class PostgresValueLedger extends ValueLedger {
  constructor(private readonly options: ValueLedgerOptions) {
    super();
  }

  override async set(
    collection: Collection,
    ownerId: string,
    values: readonly ValueToSet[],
  ): Promise<readonly SetValue[]> {
    const command = { kind: 'set', ownerId, values, at: new Date().toISOString() } as const;
    const { before, events } = await this.#decide(collection, command, (client, appended) =>
      this.#seal(client, idsOf(appended), values),
    );
    return events.flatMap(({ data }) =>
      'key' in data
        ? [
            {
              id: data.value_id,
              key: data.key,
              scope: data.scope ?? undefined,
              isSecret: data.is_secret,
              created: valueIn(before, slotOf(data)) === undefined,
            },
          ]
        : [],
    );
  }

  override async delete(collection: Collection, ownerId: string, valueId: string): Promise<void> {
    const command = { kind: 'delete', ownerId, valueId, at: new Date().toISOString() } as const;
    await this.#decide(collection, command, client =>
      client.query('DELETE FROM sealed_values WHERE id = $1', [valueId]),
    );
  }

  async #decide(
    collection: Collection,
    command: NamedValueCommand,
    beside: (client: pg.PoolClient, events: readonly NamedValueEvent[]) => Promise<unknown>,
  ): Promise<Decided> {
    const { store, metadata, waitUntil } = this.options;
    const streamId = valueStream(collection, command.ownerId);
    const decider = deciderOf(collection);
    const { position, ...decided } = await inTransaction(store.pool, async client => {
      await lockStreams(client, [streamId]);
      const history = await this.#history(client, streamId);
      const before = fold(decider, history);
      const events = decider.decide(command, before);
      const [appended] = await appendAll(client, [
        { streamId, events, expectedVersion: history.length, metadata: metadata() },
      ]);
      if (!appended || appended instanceof ConcurrencyConflict) throw appended ?? new Error('nothing was appended');
      await beside(client, events);
      return { before, events, position: appended.position };
    });
    store.announce();
    await waitUntil(position);
    return decided;
  }

  async #history(client: pg.PoolClient, streamId: string): Promise<NamedValueEvent[]> {
    const { rows } = await client.query<{ type: string; data: object }>({
      name: 'value-history',
      text: 'SELECT type, data FROM event_store.events WHERE stream_id = $1 ORDER BY version',
      values: [streamId],
    });
    return rows.map(row => upcast(row, this.options.store.upcasters) as NamedValueEvent);
  }

  async #seal(client: pg.PoolClient, ids: readonly string[], values: readonly ValueToSet[]): Promise<void> {
    await client.query(
      `INSERT INTO sealed_values (id, sealed) SELECT * FROM unnest($1::uuid[], $2::text[])
       ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed`,
      [ids, values.map(({ value }, place) => this.options.keys.seal(value, sealedValueRow(ids[place] as string)))],
    );
  }
}

const idsOf = (events: readonly NamedValueEvent[]): string[] => events.map(({ data }) => data.value_id);
