import type pg from 'pg';
import type { DomainEvent, EventMetadata, RecordedEvent } from '../event.js';
import { type Appended, ConcurrencyConflict, EventStore, type ExpectedVersion } from '../event-store.js';
import { GroupCommit } from '../group-commit.js';
import { type Upcasters, upcast } from '../upcasting.js';
import { type AppendResult, appendPrepared, type PreparedAppend, prepareAppend } from './append-all.js';
import { isClaimed } from './claimed-writes.js';
import { READ_STREAM } from './postgres-event-store.sql.js';
import { recordedEvent, type StoredEvent } from './stored-event.js';

/** The event store in PostgreSQL; concurrent appends share transactions. */
export class PostgresEventStore extends EventStore {
  readonly #appends: GroupCommit<PreparedAppend, AppendResult>;
  readonly #listeners = new Set<AppendListener>();

  constructor(
    readonly pool: pg.Pool,
    readonly upcasters: Upcasters = {},
  ) {
    super();
    this.#appends = new GroupCommit({ flush: batch => appendPrepared(pool, batch) });
  }

  override async append(
    streamId: string,
    events: readonly DomainEvent[],
    options: { readonly expectedVersion: ExpectedVersion; readonly metadata: EventMetadata },
  ): Promise<Appended> {
    // Prepared outside the group, so that an unstorable event does not delay other appends.
    const prepared = prepareAppend({ streamId, events, ...options });
    const result = await (isClaimed() ? this.#appendAlone(prepared) : this.#appends.submit(prepared));
    if (result instanceof ConcurrencyConflict) throw result;
    this.announce(events);
    return result;
  }

  /** A transaction that belongs to a claim must not contain the events of other requests. */
  async #appendAlone(prepared: PreparedAppend): Promise<AppendResult> {
    const [result] = await appendPrepared(this.pool, [prepared]);
    if (!result) throw new Error('nothing was appended');
    return result;
  }

  override async readStream(streamId: string): Promise<readonly RecordedEvent[]> {
    const { rows } = await this.pool.query<StoredEvent>({
      name: 'event-store-read-stream',
      text: READ_STREAM,
      values: [streamId],
    });
    return rows.map(row => recordedEvent(row, this.upcasters));
  }

  /** The events of rows with the columns `type` and `data`, in their current form. */
  upcast<Row extends DomainEvent>(rows: readonly Row[]): readonly Row[] {
    return rows.map(row => upcast(row, this.upcasters));
  }

  /** Calls back when this process has appended; events of other processes are found by polling the feed. */
  onAppended(listener: AppendListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Call it after the commit of a transaction with `appendAll`. Wakes the projections that apply a type of `events`;
   * without `events` all of them.
   */
  announce(events?: Iterable<{ readonly type: string }>): void {
    const types = events && new Set(Array.from(events, ({ type }) => type));
    for (const listener of this.#listeners) listener(types);
  }
}

/** Receives the types of the events that were appended, if they are known. */
export type AppendListener = (types: ReadonlySet<string> | undefined) => void;
