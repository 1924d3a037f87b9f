import { Injectable } from '@nestjs/common';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import { EmailUnitOfWork } from './email-unit-of-work.js';
import {
  type LockedState,
  type PastEvent,
  type ReceivedSignal,
  SignalMetrics,
  type SignalOutcome,
  type StreamAppend,
  type TrackingTransaction,
  TrackingTransactions,
} from './ports.js';
import { suppressionChanges } from './suppression-changes.js';
import { type TrackedEmailEvent, trackedEmailStream } from './tracked-email-events.js';

interface Recorded {
  readonly outcomes: readonly SignalOutcome[];
  readonly appends: readonly StreamAppend[];
}

/**
 * Records any number of signals in one transaction, in the given order: appends their events, stores signals whose
 * email is unknown, and suppresses addresses that bounced hard or complained.
 */
@Injectable()
export class RecordSignals {
  constructor(
    private readonly transactions: TrackingTransactions,
    private readonly metrics: SignalMetrics,
  ) {}

  /**
   * Resolves once everything is durable, or written in the transaction of the events that the signals come from.
   * @returns the outcome of each signal in the given order.
   */
  async execute(signals: readonly ReceivedSignal[], within?: EventTransaction): Promise<readonly SignalOutcome[]> {
    if (signals.length === 0) return [];
    const newEmailIds = signals.filter(({ signal }) => signal.kind === 'accepted').map(({ emailId }) => emailId);
    const emailIds = [...new Set(signals.map(({ emailId }) => emailId))];
    const recorded = await this.transactions.run(
      { streamIds: emailIds.map(trackedEmailStream), newEmailIds: [...new Set(newEmailIds)] },
      (transaction, locked) => record(transaction, unitsOfWork(emailIds, locked), signals),
      within,
    );
    if (within) within.afterCommit(() => this.#count(signals, recorded));
    else this.#count(signals, recorded);
    return recorded.outcomes;
  }

  #count(signals: readonly ReceivedSignal[], { outcomes, appends }: Recorded): void {
    signals.forEach(({ signal }, index) => {
      this.metrics.signal(signal.kind, outcomes[index]!);
    });
    for (const { events } of appends) for (const { event } of events) this.metrics.recorded(event);
  }
}

async function record(
  transaction: TrackingTransaction,
  units: ReadonlyMap<string, EmailUnitOfWork>,
  signals: readonly ReceivedSignal[],
): Promise<Recorded> {
  const outcomes = signals.map(received => units.get(received.emailId)!.process(received));
  const appends = [...units.values()].flatMap(unit => unit.appends());
  const suppressions = await suppressionChanges(transaction, appends);
  await transaction.write({
    appends: [...appends, ...suppressions],
    signalsToStore: [...units.values()].flatMap(unit => unit.signalsToStore),
    signalIdsToDelete: [...units.values()].flatMap(unit => unit.signalIdsToDelete),
    noticesToStore: [...units.values()].flatMap(unit => unit.noticesToStore),
  });
  return { outcomes, appends };
}

function unitsOfWork(
  emailIds: readonly string[],
  { histories, waiting }: LockedState,
): ReadonlyMap<string, EmailUnitOfWork> {
  const waitingByEmail = Map.groupBy(waiting, ({ received }) => received.emailId);
  return new Map(
    emailIds.map(id => [
      id,
      new EmailUnitOfWork(
        trackedEmailStream(id),
        (histories.get(trackedEmailStream(id)) ?? []) as readonly (PastEvent & TrackedEmailEvent)[],
        waitingByEmail.get(id) ?? [],
      ),
    ]),
  );
}
