import {
  type PastEvent,
  type ToldSignal,
  type TrackingChanges,
  type TrackingEvent,
  type TrackingOpened,
  type TrackingOpening,
  type TrackingTransaction,
  TrackingTransactions,
  type WaitingSignal,
} from '../../../apps/delivery-tracking/src/ports.js';
import type { EventLog } from './event-log.js';
import type { SimulatedProcess } from './simulated-process.js';

/** The state that survives a crash of delivery-tracking. */
export class TrackingDatabase {
  readonly taken = new Set<string>();
  readonly waiting = new Map<string, ToldSignal>();
  #waitingIds = 0;

  constructor(readonly log: EventLog) {}

  history(streamId: string): readonly PastEvent[] {
    return this.log
      .stream(streamId)
      .map(({ type, data }) => ({ type, data, traceparent: null }) as unknown as PastEvent);
  }

  waitingFor(emailIds: readonly string[]): WaitingSignal[] {
    return [...this.waiting].filter(([, told]) => emailIds.includes(told.emailId)).map(([id, told]) => ({ id, told }));
  }

  commit({ taken, appends, nowWaiting, noLongerWaiting }: TrackingChanges): void {
    for (const id of taken) this.taken.add(id);
    for (const { streamId, events } of appends)
      for (const { event, metadata } of events) this.log.append(streamId, [event as TrackingEvent], metadata);
    for (const told of nowWaiting) this.waiting.set(String(this.#waitingIds++), told);
    for (const id of noLongerWaiting) this.waiting.delete(id);
  }
}

/** Transactions of one process; begin, read, write and commit are separate port calls. */
export class SimulatedTrackingTransactions extends TrackingTransactions {
  constructor(
    private readonly database: TrackingDatabase,
    private readonly process: SimulatedProcess,
  ) {
    super();
  }

  override async run<Result>(
    { streamIds, arriving }: TrackingOpening,
    work: (transaction: TrackingTransaction, opened: TrackingOpened) => Promise<Result>,
  ): Promise<Result> {
    const opened = await this.process.call('TrackingTransactions.open', () => ({
      histories: this.#histories(streamIds),
      waiting: this.database.waitingFor(arriving),
    }));
    let changes: TrackingChanges | undefined;
    const transaction: TrackingTransaction = {
      also: ids => this.process.call('TrackingTransactions.also', () => this.#histories(ids)),
      write: asked =>
        this.process.call('TrackingTransactions.write', () => {
          changes = asked;
          return new Set(asked.taken.filter(id => !this.database.taken.has(id)));
        }),
    };
    const result = await work(transaction, opened);
    await this.process.call('TrackingTransactions.commit', () => {
      if (changes) this.database.commit(changes);
    });
    return result;
  }

  #histories(streamIds: readonly string[]): ReadonlyMap<string, readonly PastEvent[]> {
    return new Map(streamIds.map(id => [id, this.database.history(id)]));
  }
}
