import { Injectable } from '@nestjs/common';
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

  /** Resolves once everything is durable; returns the outcome of each signal in the given order. */
  async execute(signals: readonly ReceivedSignal[]): Promise<readonly SignalOutcome[]> {
    if (signals.length === 0) return [];
    const { outcomes, appends } = await this.#record(signals, new Set());
    signals.forEach(({ signal }, index) => {
      this.metrics.signal(signal.kind, outcomes[index]!);
    });
    for (const { events } of appends) for (const { event } of events) this.metrics.recorded(event);
    return outcomes;
  }

  async #record(signals: readonly ReceivedSignal[], alreadyConsumed: ReadonlySet<string>): Promise<Recorded> {
    try {
      const newEmailIds = signals.filter(({ signal }) => signal.kind === 'accepted').map(({ emailId }) => emailId);
      const emailIds = [...new Set(signals.map(({ emailId }) => emailId))];
      return await this.transactions.run(
        { streamIds: emailIds.map(trackedEmailStream), newEmailIds: [...new Set(newEmailIds)] },
        (transaction, locked) => record(transaction, unitsOfWork(emailIds, locked), signals, alreadyConsumed),
      );
    } catch (error) {
      if (error instanceof AlreadyConsumed)
        return this.#record(signals, new Set([...alreadyConsumed, ...error.eventIds]));
      throw error;
    }
  }
}

/** Rolls back a transaction that processed consumed events. It is rare, so the check comes last. */
class AlreadyConsumed extends Error {
  constructor(readonly eventIds: readonly string[]) {
    super('some of these events were consumed before');
  }
}

async function record(
  transaction: TrackingTransaction,
  units: ReadonlyMap<string, EmailUnitOfWork>,
  signals: readonly ReceivedSignal[],
  alreadyConsumed: ReadonlySet<string>,
): Promise<Recorded> {
  const consumedNow = new Set<string>();
  const outcomes = signals.map((received): SignalOutcome => {
    const { eventId } = received;
    if (eventId !== undefined) {
      if (alreadyConsumed.has(eventId) || consumedNow.has(eventId)) return { kind: 'taken_before' };
      consumedNow.add(eventId);
    }
    return units.get(received.emailId)!.process(received);
  });

  const appends = [...units.values()].flatMap(unit => unit.appends());
  const suppressions = await suppressionChanges(transaction, appends);
  const fresh = await transaction.write({
    consumedEventIds: [...consumedNow],
    appends: [...appends, ...suppressions],
    signalsToStore: [...units.values()].flatMap(unit => unit.signalsToStore),
    signalIdsToDelete: [...units.values()].flatMap(unit => unit.signalIdsToDelete),
    noticesToStore: [...units.values()].flatMap(unit => unit.noticesToStore),
  });
  if (fresh.size < consumedNow.size) throw new AlreadyConsumed([...consumedNow].filter(id => !fresh.has(id)));
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
