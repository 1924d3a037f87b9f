import {
  type PastEvent,
  type ToldSignal,
  TrackingCounters,
  type TrackingEvent,
  type TrackingOpened,
  type TrackingOpening,
  type TrackingTransaction,
  TrackingTransactions,
  type WaitingSignal,
} from '../tracked-emails/ports.js';

/** The service's database in memory: streams, taken events and waiting signals, one transaction after another. */
export class InMemoryTrackingTransactions extends TrackingTransactions {
  readonly #streams = new Map<string, PastEvent[]>();
  readonly #taken = new Set<string>();
  #waiting: WaitingSignal[] = [];
  #lastWaiting = 0;

  /** The events of one stream so far. */
  stream(streamId: string): readonly TrackingEvent[] {
    return this.#streams.get(streamId) ?? [];
  }

  override async run<Result>(
    { streamIds, arriving }: TrackingOpening,
    work: (transaction: TrackingTransaction, opened: TrackingOpened) => Promise<Result>,
  ): Promise<Result> {
    const transaction: TrackingTransaction = {
      also: async ids => this.#histories(ids),
      write: async ({ taken, appends, nowWaiting, noLongerWaiting }) => {
        const fresh = new Set(taken.filter(id => !this.#taken.has(id)));
        if (fresh.size < taken.length) return fresh;
        for (const id of taken) this.#taken.add(id);
        for (const { streamId, events } of appends)
          this.#streams.set(streamId, [
            ...(this.#streams.get(streamId) ?? []),
            ...events.map(({ event }) => ({ ...event, traceparent: null })),
          ]);
        this.#waiting = [
          ...this.#waiting.filter(({ id }) => !noLongerWaiting.includes(id)),
          ...nowWaiting.map((told: ToldSignal) => ({ id: String(++this.#lastWaiting), told })),
        ];
        return fresh;
      },
    };
    return work(transaction, {
      histories: this.#histories(streamIds),
      waiting: this.#waiting.filter(({ told }) => arriving.includes(told.emailId)),
    });
  }

  #histories(streamIds: readonly string[]): ReadonlyMap<string, readonly PastEvent[]> {
    return new Map(streamIds.flatMap(id => (this.#streams.has(id) ? [[id, this.#streams.get(id)!] as const] : [])));
  }
}

/** Counts nothing. */
export class NoTrackingCounters extends TrackingCounters {
  override signal(): void {}
  override recorded(): void {}
  override ignoredReport(): void {}
  override refusedMail(): void {}
  override droppedWaiting(): void {}
}
