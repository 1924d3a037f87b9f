import type { EventMetadata } from '@postern/event-sourcing';
import type { OwnBounceRule } from '../tracked-emails/own-bounce-rules.js';
import {
  type BounceNotice,
  type KnownEmail,
  type LockedState,
  type PastEvent,
  type ReceivedSignal,
  SignalMetrics,
  type TrackingChanges,
  type TrackingEvent,
  type TrackingTransaction,
  TrackingTransactions,
  type TransactionScope,
  type WaitingSignal,
} from '../tracked-emails/ports.js';
import { type TrackedEmailEvent, trackedEmailStream } from '../tracked-emails/tracked-email-events.js';

/** Where a `TrackingMemory` keeps its streams. */
export interface EventMemory {
  stream(streamId: string): readonly { readonly type: string; readonly data: object }[];
  append(streamId: string, events: readonly TrackingEvent[], metadata: EventMetadata): void;
}

/** The committed data of the service: streams and waiting signals. */
export class TrackingMemory {
  readonly waiting = new Map<string, ReceivedSignal>();
  readonly notices: BounceNotice[] = [];
  readonly known = new Map<string, KnownEmail>();
  readonly ownRules = new Map<string, readonly OwnBounceRule[]>();
  #lastId = 0;

  constructor(readonly events: EventMemory = new StreamMap()) {}

  history(streamId: string): readonly PastEvent[] {
    return this.events
      .stream(streamId)
      .map(({ type, data }) => ({ type, data, traceparent: null }) as unknown as PastEvent);
  }

  /** What email-send said about an email, and the events of its stream. */
  eventsOf(emailId: string): readonly TrackedEmailEvent[] {
    const events = this.events.stream(trackedEmailStream(emailId)) as readonly TrackedEmailEvent[];
    return [...(this.known.get(emailId)?.events ?? []), ...events];
  }

  waitingFor(emailIds: readonly string[]): WaitingSignal[] {
    return [...this.waiting]
      .filter(([, received]) => emailIds.includes(received.emailId))
      .map(([id, received]) => ({ id, received }));
  }

  commit({ appends, followed = [], signalsToStore, signalIdsToDelete, noticesToStore }: TrackingChanges): void {
    for (const { emailId, events, traceparent } of followed) {
      const { events: earlier, ...before } = this.known.get(emailId) ?? { events: [], traceparent };
      this.known.set(emailId, { ...before, events: [...earlier, ...events] });
    }
    for (const { streamId, events } of appends)
      for (const { event, metadata } of events) this.events.append(streamId, [event], metadata);
    for (const received of signalsToStore) this.waiting.set(String(++this.#lastId), received);
    for (const id of signalIdsToDelete) this.waiting.delete(id);
    this.notices.push(...noticesToStore);
  }
}

/** Runs one step of a transaction by name; a simulation injects faults here. */
export type RunStep = <Result>(step: string, work: () => Result) => Promise<Result>;

/** Transactions over a `TrackingMemory`, run one after another. */
export class InMemoryTrackingTransactions extends TrackingTransactions {
  constructor(
    private readonly memory = new TrackingMemory(),
    private readonly runStep: RunStep = async (_, work) => work(),
  ) {
    super();
  }

  override async run<Result>(
    { streamIds, waitingFor }: TransactionScope,
    work: (transaction: TrackingTransaction, locked: LockedState) => Promise<Result>,
  ): Promise<Result> {
    const locked = await this.runStep('TrackingTransactions.open', () => ({
      histories: this.#histories(streamIds),
      known: new Map(this.memory.known),
      waiting: this.memory.waitingFor(waitingFor),
    }));
    let changes: TrackingChanges | undefined;
    const result = await work(
      {
        lockMore: ids => this.runStep('TrackingTransactions.lockMore', () => this.#histories(ids)),
        ownRules: async serviceIds =>
          new Map(serviceIds.map(serviceId => [serviceId, this.memory.ownRules.get(serviceId) ?? []])),
        write: written =>
          this.runStep('TrackingTransactions.write', () => {
            changes = written;
          }),
      },
      locked,
    );
    await this.runStep('TrackingTransactions.commit', () => {
      if (changes) this.memory.commit(changes);
    });
    return result;
  }

  #histories(streamIds: readonly string[]): ReadonlyMap<string, readonly PastEvent[]> {
    return new Map(streamIds.map(id => [id, this.memory.history(id)]));
  }
}

class StreamMap implements EventMemory {
  readonly #streams = new Map<string, TrackingEvent[]>();

  stream(streamId: string): readonly TrackingEvent[] {
    return this.#streams.get(streamId) ?? [];
  }

  append(streamId: string, events: readonly TrackingEvent[]): void {
    this.#streams.set(streamId, [...this.stream(streamId), ...events]);
  }
}

/** Counts nothing. */
export class NoSignalMetrics extends SignalMetrics {
  override signal(): void {}
  override recorded(): void {}
  override dropped(): void {}
}
