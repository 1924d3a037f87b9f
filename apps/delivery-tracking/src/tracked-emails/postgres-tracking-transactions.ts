import { Injectable } from '@nestjs/common';
import { ConcurrencyConflict } from '@postern/event-sourcing';
import {
  appendAll,
  type EventTransaction,
  heldGenerations,
  inPipelinedTransaction,
  lockStreams,
  PostgresEventStore,
  type ProjectionTransaction,
  pipelined,
} from '@postern/event-sourcing/postgres';
import { BOUNCE_RULES_VERSION } from '@postern/mail';
import type pg from 'pg';
import { followEmails } from './follow-emails.js';
import type { OwnBounceRule } from './own-bounce-rules.js';
import {
  type BounceNotice,
  type KnownEmail,
  type LockedState,
  type PastEvent,
  type ReceivedSignal,
  type StreamAppend,
  type TrackingChanges,
  type TrackingEvent,
  type TrackingTransaction,
  TrackingTransactions,
  type TransactionScope,
  type WaitingSignal,
} from './ports.js';
import { eventsOfRow, type FollowedRow } from './tracked-email-row.js';
import { trackedEmails } from './tracked-emails.projection.js';
import { READ_FOLLOWED } from './tracked-emails.sql.js';
import {
  DELETE_WAITING_SIGNALS,
  READ_HISTORIES,
  READ_OWN_RULES,
  READ_WAITING_SIGNALS,
  STORE_BOUNCE_NOTICES,
  STORE_WAITING_SIGNALS,
} from './tracking-transactions.sql.js';

/** Transactions in PostgreSQL. The lock of a stream excludes all other replicas. */
@Injectable()
export class PostgresTrackingTransactions extends TrackingTransactions {
  constructor(private readonly store: PostgresEventStore) {
    super();
  }

  override run<Result>(
    scope: TransactionScope,
    work: (transaction: TrackingTransaction, locked: LockedState) => Promise<Result>,
    within?: EventTransaction,
  ): Promise<Result> {
    return within ? this.#within(within, scope, work) : this.#alone(scope, work);
  }

  async #alone<Result>(
    scope: TransactionScope,
    work: (transaction: TrackingTransaction, locked: LockedState) => Promise<Result>,
  ): Promise<Result> {
    const appended: TrackingEvent[] = [];
    const result = await inPipelinedTransaction<Locked, Result>(
      this.store.pool,
      client => this.#lock(client, scope),
      (client, locked) => this.#work(client, locked, appended, work),
    );
    this.store.announce(appended);
    return result;
  }

  async #within<Result>(
    { client, afterCommit }: EventTransaction,
    scope: TransactionScope,
    work: (transaction: TrackingTransaction, locked: LockedState) => Promise<Result>,
  ): Promise<Result> {
    const appended: TrackingEvent[] = [];
    const locked = await pipelined<Locked>(client, () => this.#lock(client, scope));
    const result = await this.#work(client, locked, appended, work);
    afterCommit(() => this.store.announce(appended));
    return result;
  }

  #work<Result>(
    client: pg.ClientBase,
    [generations, , histories, known, waiting]: Locked,
    appended: TrackingEvent[],
    work: (transaction: TrackingTransaction, locked: LockedState) => Promise<Result>,
  ): Promise<Result> {
    const transaction = new PostgresTrackingTransaction(client, this.store, generations, appended);
    return work(transaction, { histories, known, waiting });
  }

  #lock(client: pg.ClientBase, { streamIds, emailIds, waitingFor, follows }: TransactionScope): Promises<Locked> {
    return [
      follows ? heldGenerations(client, trackedEmails.name) : Promise.resolve([]),
      lockStreams(client, streamIds),
      historiesOf(client, streamIds, this.store),
      knownOf(client, emailIds),
      waitingSignalsOf(client, waitingFor),
    ];
  }
}

type Locked = readonly [
  readonly ProjectionTransaction[],
  unknown,
  Histories,
  ReadonlyMap<string, KnownEmail>,
  readonly WaitingSignal[],
];
type Promises<Answers extends readonly unknown[]> = { readonly [Place in keyof Answers]: Promise<Answers[Place]> };

type Histories = ReadonlyMap<string, readonly PastEvent[]>;

/** Call after `lockStreams`, which takes the locks that the event store takes on append. */
async function historiesOf(
  client: pg.ClientBase,
  streamIds: readonly string[],
  store: PostgresEventStore,
): Promise<Histories> {
  const { rows } = await client.query<PastEvent & { stream_id: string }>({
    name: 'tracking-histories',
    text: READ_HISTORIES,
    values: [streamIds],
  });
  return Map.groupBy(store.upcast(rows), row => row.stream_id);
}

async function knownOf(client: pg.ClientBase, emailIds: readonly string[]): Promise<ReadonlyMap<string, KnownEmail>> {
  if (emailIds.length === 0) return new Map();
  const { rows } = await client.query<FollowedRow>({
    name: 'tracking-followed',
    text: READ_FOLLOWED,
    values: [emailIds],
  });
  return new Map(rows.map(row => [row.id, { events: eventsOfRow(row), traceparent: row.traceparent }]));
}

async function waitingSignalsOf(client: pg.ClientBase, emailIds: readonly string[]): Promise<readonly WaitingSignal[]> {
  if (emailIds.length === 0) return [];
  const { rows } = await client.query<WaitingSignal>({
    name: 'tracking-waiting',
    text: READ_WAITING_SIGNALS,
    values: [emailIds],
  });
  return rows;
}

class PostgresTrackingTransaction implements TrackingTransaction {
  constructor(
    private readonly client: pg.ClientBase,
    private readonly store: PostgresEventStore,
    private readonly generations: readonly ProjectionTransaction[],
    /** Receives the appended events. */
    private readonly appended: TrackingEvent[],
  ) {}

  async lockMore(streamIds: readonly string[]): Promise<Histories> {
    const [, histories] = await pipelined<[unknown, Histories]>(this.client, () => [
      lockStreams(this.client, streamIds),
      historiesOf(this.client, streamIds, this.store),
    ]);
    return histories;
  }

  async ownRules(serviceIds: readonly string[]): Promise<ReadonlyMap<string, readonly OwnBounceRule[]>> {
    const { rows } = await this.client.query<OwnBounceRule & { serviceId: string }>({
      name: 'tracking-own-rules',
      text: READ_OWN_RULES,
      values: [serviceIds],
    });
    return Map.groupBy(rows, ({ serviceId }) => serviceId);
  }

  async write(changes: TrackingChanges): Promise<void> {
    const { appends, followed = [], signalsToStore, signalIdsToDelete, noticesToStore } = changes;
    await pipelined<unknown[]>(this.client, () => [
      ...(appends.length > 0 ? [this.#append(appends)] : []),
      ...(signalsToStore.length > 0 ? [this.#store(signalsToStore)] : []),
      ...(noticesToStore.length > 0 ? [this.#keep(noticesToStore)] : []),
      ...(signalIdsToDelete.length > 0 ? [this.#delete(signalIdsToDelete)] : []),
    ]);
    if (followed.length > 0) for (const generation of this.generations) await followEmails(followed, generation);
  }

  async #append(appends: readonly StreamAppend[]): Promise<void> {
    const results = await appendAll(this.client, appends.flatMap(splitByMetadata));
    const conflict = results.find(result => result instanceof ConcurrencyConflict);
    if (conflict) throw conflict;
    for (const { events } of appends) this.appended.push(...events.map(({ event }) => event));
  }

  async #delete(signalIds: readonly string[]): Promise<void> {
    await this.client.query(DELETE_WAITING_SIGNALS, [signalIds]);
  }

  async #keep(notices: readonly BounceNotice[]): Promise<void> {
    await this.client.query({
      name: 'tracking-store-notices',
      text: STORE_BOUNCE_NOTICES,
      values: [
        notices.map(({ emailId }) => emailId),
        notices.map(({ index }) => index),
        notices.map(({ at }) => at),
        notices.map(() => BOUNCE_RULES_VERSION),
        notices.map(({ evidence }) => JSON.stringify(evidence)),
      ],
    });
  }

  async #store(signals: readonly ReceivedSignal[]): Promise<void> {
    await this.client.query({
      name: 'tracking-store-waiting',
      text: STORE_WAITING_SIGNALS,
      values: [
        signals.map(({ emailId }) => emailId),
        signals.map(({ signal }) => signal.kind),
        signals.map(received => JSON.stringify(received)),
      ],
    });
  }
}

/** An append has one metadata, so events of several signals become consecutive appends. */
function splitByMetadata({ streamId, expectedVersion, events }: StreamAppend) {
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
