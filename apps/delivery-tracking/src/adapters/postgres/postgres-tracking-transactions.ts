import { Injectable } from '@nestjs/common';
import { ConcurrencyConflict, type Upcasters, upcast } from '@postern/event-sourcing';
import {
  appendAll,
  Inbox,
  inPipelinedTransaction,
  lockStreams,
  PostgresEventStore,
  pipelined,
} from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import {
  type PastEvent,
  type StreamAppend,
  type ToldSignal,
  type TrackingChanges,
  type TrackingEvent,
  type TrackingOpened,
  type TrackingOpening,
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

  override async run<Result>(
    { streamIds, arriving }: TrackingOpening,
    work: (transaction: TrackingTransaction, opened: TrackingOpened) => Promise<Result>,
  ): Promise<Result> {
    const result = await inPipelinedTransaction<[unknown, Histories, readonly WaitingSignal[]], Result>(
      this.store.pool,
      client => [
        lockStreams(client, streamIds),
        historiesOf(client, streamIds, this.store.upcasters),
        waitingFor(client, arriving),
      ],
      (client, [, histories, waiting]) =>
        work(new OpenTransaction(client, this.#inbox, this.store.upcasters), { histories, waiting }),
    );
    this.store.announce();
    return result;
  }
}

type Histories = ReadonlyMap<string, readonly PastEvent[]>;

/** After `lockStreams`, which takes the same locks that the event store takes when it appends. */
async function historiesOf(
  client: pg.ClientBase,
  streamIds: readonly string[],
  upcasters: Upcasters,
): Promise<Histories> {
  const { rows } = await client.query<PastEvent & { stream_id: string }>({
    name: 'tracking-histories',
    text: `SELECT stream_id, type, data, metadata->>'traceparent' AS traceparent
             FROM event_store.events WHERE stream_id = ANY ($1) ORDER BY stream_id, version`,
    values: [streamIds],
  });
  return Map.groupBy(
    rows.map(row => upcast(row, upcasters)),
    row => row.stream_id,
  );
}

async function waitingFor(client: pg.ClientBase, emailIds: readonly string[]): Promise<readonly WaitingSignal[]> {
  if (emailIds.length === 0) return [];
  const { rows } = await client.query<WaitingSignal>({
    name: 'tracking-waiting',
    text: 'SELECT id::text AS id, told FROM waiting_signals WHERE email_id = ANY ($1) ORDER BY waiting_signals.id',
    values: [emailIds],
  });
  return rows;
}

class OpenTransaction implements TrackingTransaction {
  constructor(
    private readonly client: pg.ClientBase,
    private readonly inbox: Inbox,
    private readonly upcasters: Upcasters,
  ) {}

  async also(streamIds: readonly string[]): Promise<Histories> {
    const [, histories] = await pipelined<[unknown, Histories]>(this.client, () => [
      lockStreams(this.client, streamIds),
      historiesOf(this.client, streamIds, this.upcasters),
    ]);
    return histories;
  }

  async write({ taken, appends, nowWaiting, noLongerWaiting }: TrackingChanges): Promise<ReadonlySet<string>> {
    const [fresh] = await pipelined<[ReadonlySet<string>, ...unknown[]]>(this.client, () => [
      taken.length > 0 ? this.inbox.accept(this.client, CONSUMER, taken) : Promise.resolve(new Set<string>()),
      ...(appends.length > 0 ? [this.#append(appends)] : []),
      ...(nowWaiting.length > 0 ? [this.#letWait(nowWaiting)] : []),
      ...(noLongerWaiting.length > 0 ? [this.#letGo(noLongerWaiting)] : []),
    ]);
    return fresh;
  }

  async #append(appends: readonly StreamAppend[]): Promise<void> {
    const results = await appendAll(this.client, appends.flatMap(oneMetadataEach));
    const lost = results.find(result => result instanceof ConcurrencyConflict);
    if (lost) throw lost;
  }

  async #letGo(waitingIds: readonly string[]): Promise<void> {
    await this.client.query('DELETE FROM waiting_signals WHERE id = ANY ($1::bigint[])', [waitingIds]);
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
