import { Injectable } from '@nestjs/common';
import { ConcurrencyConflict, type Upcasters, upcast } from '@postern/event-sourcing';
import { appendAll, Inbox, inTransaction, lockStreams, PostgresEventStore } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import {
  type PastEvent,
  type StreamAppend,
  type ToldSignal,
  type TrackingChanges,
  type TrackingEvent,
  type TrackingTransaction,
  TrackingTransactions,
  type WaitingSignal,
} from '../../ports.js';

/** The consumer under whose name taken events are noted. */
const CONSUMER = 'delivery-tracking';

/** Transactions of the service's database; whoever holds a stream's lock decides it alone, over all replicas. */
@Injectable()
export class PostgresTrackingTransactions extends TrackingTransactions {
  readonly #inbox: Inbox;

  constructor(private readonly store: PostgresEventStore) {
    super();
    this.#inbox = new Inbox(store.pool);
  }

  override async run<Result>(work: (transaction: TrackingTransaction) => Promise<Result>): Promise<Result> {
    const result = await inTransaction(this.store.pool, client =>
      work(new OpenTransaction(client, this.#inbox, this.store.upcasters)),
    );
    this.store.announce();
    return result;
  }
}

class OpenTransaction implements TrackingTransaction {
  constructor(
    private readonly client: pg.ClientBase,
    private readonly inbox: Inbox,
    private readonly upcasters: Upcasters,
  ) {}

  /** The same locks that the event store takes when it appends, in the same order for everybody. */
  async lock(streamIds: readonly string[]): Promise<void> {
    await lockStreams(this.client, streamIds);
  }

  async histories(streamIds: readonly string[]): Promise<ReadonlyMap<string, readonly PastEvent[]>> {
    const { rows } = await this.client.query<PastEvent & { stream_id: string }>({
      name: 'tracking-histories',
      text: `SELECT stream_id, type, data, metadata->>'traceparent' AS traceparent
             FROM event_store.events WHERE stream_id = ANY ($1) ORDER BY stream_id, version`,
      values: [streamIds],
    });
    return Map.groupBy(
      rows.map(row => upcast(row, this.upcasters)),
      row => row.stream_id,
    );
  }

  async waitingFor(emailIds: readonly string[]): Promise<readonly WaitingSignal[]> {
    const { rows } = await this.client.query<WaitingSignal>({
      name: 'tracking-waiting',
      text: 'SELECT id::text AS id, told FROM waiting_signals WHERE email_id = ANY ($1) ORDER BY waiting_signals.id',
      values: [emailIds],
    });
    return rows;
  }

  take(eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.inbox.accept(this.client, CONSUMER, eventIds);
  }

  async write({ appends, nowWaiting, noLongerWaiting }: TrackingChanges): Promise<void> {
    if (appends.length > 0) await this.#append(appends);
    if (nowWaiting.length > 0) await this.#letWait(nowWaiting);
    if (noLongerWaiting.length > 0) {
      await this.client.query('DELETE FROM waiting_signals WHERE id = ANY ($1::bigint[])', [noLongerWaiting]);
    }
  }

  async #append(appends: readonly StreamAppend[]): Promise<void> {
    const results = await appendAll(this.client, appends.flatMap(oneMetadataEach));
    const lost = results.find(result => result instanceof ConcurrencyConflict);
    if (lost) throw lost;
  }

  async #letWait(signals: readonly ToldSignal[]): Promise<void> {
    await this.client.query({
      name: 'tracking-let-wait',
      text: `INSERT INTO waiting_signals (email_id, kind, told)
             SELECT * FROM unnest($1::uuid[], $2::text[], $3::jsonb[])`,
      values: [
        signals.map(({ emailId }) => emailId),
        signals.map(({ signal }) => signal.kind),
        signals.map(told => JSON.stringify(told)),
      ],
    });
  }
}

/** An append carries one metadata; events of several signals are appended one run after another. */
function oneMetadataEach({ streamId, expectedVersion, events }: StreamAppend) {
  const runs: { events: TrackingEvent[]; metadata: (typeof events)[number]['metadata'] }[] = [];
  for (const { event, metadata } of events) {
    const last = runs.at(-1);
    if (last?.metadata === metadata) last.events.push(event);
    else runs.push({ events: [event], metadata });
  }
  let version = expectedVersion;
  return runs.map(run => {
    const append = { streamId, expectedVersion: version, ...run };
    version += run.events.length;
    return append;
  });
}
