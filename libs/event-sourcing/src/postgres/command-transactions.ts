import pLimit from 'p-limit';
import type pg from 'pg';
import { type Decider, fold } from '../decider.js';
import type { DomainEvent, Position } from '../event.js';
import { ConcurrencyConflict } from '../event-store.js';
import { wasRolledBack } from '../sql-state.js';
import type { CreationLimit, StreamsOptions } from '../streams.js';
import { appendAll, lockStreams } from './append-all.js';
import { SELECT_HISTORY } from './command-transactions.sql.js';
import { latestPosition } from './feed.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { inTransaction } from './transaction.js';

export interface CommandTransactionsOptions extends StreamsOptions {
  readonly store: PostgresEventStore;
}

/** One command on one stream, with the rows that change in the same transaction. */
export interface TransactionalCommand<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly streamId: string;
  readonly command: Command;
  /** Further locks, for rules that span several streams. */
  readonly locks?: readonly string[];
  /** Checks rules that need other rows, after all locks are taken; throws a refusal. Must not write. */
  readonly check?: (client: pg.ClientBase) => Promise<unknown>;
  readonly limit?: CreationLimit;
  /** Changes the rows; called only when there are new events. An error rolls everything back. */
  readonly write?: (client: pg.ClientBase, events: readonly Event[], before: State) => Promise<unknown>;
}

const ATTEMPTS = 5;

interface Decided<Event> {
  readonly events: readonly Event[];
  readonly position: Position | undefined;
}

/** Runs commands that write events and rows in one transaction. */
export class CommandTransactions {
  /** One at a time: a command that waits for the read model holds a connection, and the read model needs another. */
  readonly #oneLimited = pLimit(1);

  constructor(private readonly options: CommandTransactionsOptions) {}

  /**
   * Locks the stream, decides, appends, writes the rows, and returns the new events when the read models show them.
   * A transaction that PostgreSQL rolled back is retried a few times.
   * @throws refusals of the decider and of `check`, and errors of `write`; in these cases nothing was changed.
   */
  async execute<State, Command, Event extends DomainEvent>(
    command: TransactionalCommand<State, Command, Event>,
  ): Promise<readonly Event[]> {
    const { events, position } = await (command.limit
      ? this.#oneLimited(() => this.#decided(command))
      : this.#decided(command));
    if (position) this.options.store.announce(events);
    await this.options.waitUntil(position);
    return events;
  }

  async #decided<State, Command, Event extends DomainEvent>(
    command: TransactionalCommand<State, Command, Event>,
  ): Promise<Decided<Event>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(command);
      } catch (error) {
        if (!wasRolledBack(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #attempt<State, Command, Event extends DomainEvent>({
    decider,
    streamId,
    command,
    locks = [],
    check,
    limit,
    write,
  }: TransactionalCommand<State, Command, Event>): Promise<Decided<Event>> {
    const { store, metadata, waitUntil } = this.options;
    return inTransaction(store.pool, async client => {
      await lockStreams(client, [...locks, ...(limit ? [limit.lock] : []), streamId]);
      await check?.(client);
      if (limit) {
        await waitUntil(await latestPosition(client));
        await limit.check();
      }
      const history = await historyOf<Event>(client, store, streamId);
      const before = fold(decider, history);
      const decided = decider.decide(command, before);
      if (decided.length === 0) return { events: decided, position: undefined };
      const append = { streamId, events: decided, expectedVersion: history.length, metadata: metadata() };
      const [appended] = await appendAll(client, [append]);
      if (!appended || appended instanceof ConcurrencyConflict) throw appended ?? new Error('nothing was appended');
      await write?.(client, decided, before);
      return { events: decided, position: appended.position };
    });
  }
}

async function historyOf<Event extends DomainEvent>(
  client: pg.ClientBase,
  store: PostgresEventStore,
  streamId: string,
): Promise<readonly Event[]> {
  const { rows } = await client.query<{ type: string; data: object }>({
    name: 'event-store-command-history',
    text: SELECT_HISTORY,
    values: [streamId],
  });
  return store.upcast(rows) as unknown as readonly Event[];
}
