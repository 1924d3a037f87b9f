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
import type { Signal } from './signal.js';
import { suppressionChanges } from './suppression-changes.js';
import { type TrackedEmailEvent, trackedEmailStream } from './tracked-email-events.js';

interface Recorded {
  readonly outcomes: readonly SignalOutcome[];
  readonly appends: readonly StreamAppend[];
}

/**
 * Records any number of signals in one transaction, in the given order: folds what email-send said into the rows of emails, appends
 * the events of the others, stores signals whose email is unknown, and suppresses addresses that bounced hard or complained.
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
    const scope = {
      streamIds: emailIds.map(trackedEmailStream),
      emailIds,
      waitingFor: [...new Set(newEmailIds)],
      follows: signals.some(({ signal }) => FROM_EMAIL_SEND.has(signal.kind)),
    };
    const recorded = await this.transactions.run(
      scope,
      (transaction, locked) => {
        const units = unitsOfWork(emailIds, locked);
        return record(transaction, units, [...signals, ...locked.waiting.map(({ received }) => received)], () =>
          signals.map(received => units.get(received.emailId)!.process(received)),
        );
      },
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

/** What the log of email-send says; the other signals come from recipients and their servers. */
const FROM_EMAIL_SEND: ReadonlySet<Signal['kind']> = new Set([
  'accepted',
  'handed_over',
  'copy_retried',
  'not_handed_over',
  'interrupted',
]);

async function record(
  transaction: TrackingTransaction,
  units: ReadonlyMap<string, EmailUnitOfWork>,
  signals: readonly ReceivedSignal[],
  decide: () => readonly SignalOutcome[],
): Promise<Recorded> {
  const serviceIds = servicesWithBounces(units, signals);
  if (serviceIds.length > 0) {
    const rules = await transaction.ownRules(serviceIds);
    for (const unit of units.values()) unit.useRules(rules);
  }
  const outcomes = decide();
  const appends = [...units.values()].flatMap(unit => unit.appends());
  const suppressions = await suppressionChanges(transaction, appends);
  await transaction.write({
    appends: [...appends, ...suppressions],
    followed: [...units.values()].flatMap(unit => unit.followed()),
    signalsToStore: [...units.values()].flatMap(unit => unit.signalsToStore),
    signalIdsToDelete: [...units.values()].flatMap(unit => unit.signalIdsToDelete),
    noticesToStore: [...units.values()].flatMap(unit => unit.noticesToStore),
  });
  return { outcomes, appends };
}

/** The email services of all emails, if any signal can classify a bounce; otherwise none. */
function servicesWithBounces(
  units: ReadonlyMap<string, EmailUnitOfWork>,
  signals: readonly ReceivedSignal[],
): readonly string[] {
  if (!signals.some(({ signal }) => classifiesBounce(signal))) return [];
  const known = [...units.values()].flatMap(unit => unit.serviceId ?? []);
  const accepted = signals.flatMap(({ signal }) => (signal.kind === 'accepted' ? [signal.data.service_id] : []));
  return [...new Set([...known, ...accepted])];
}

function classifiesBounce(signal: Signal): boolean {
  switch (signal.kind) {
    case 'notified':
      return signal.status.action === 'failed';
    case 'handed_over':
      return signal.data.outcomes.some(({ result }) => result === 'refused');
    case 'copy_retried':
      return signal.data.outcome.result === 'refused';
    default:
      return signal.kind === 'reclassified' || signal.kind === 'corrected';
  }
}

function unitsOfWork(
  emailIds: readonly string[],
  { histories, known, waiting }: LockedState,
): ReadonlyMap<string, EmailUnitOfWork> {
  const waitingByEmail = Map.groupBy(waiting, ({ received }) => received.emailId);
  return new Map(
    emailIds.map(emailId => [
      emailId,
      new EmailUnitOfWork({
        emailId,
        history: (histories.get(trackedEmailStream(emailId)) ?? []) as readonly (PastEvent & TrackedEmailEvent)[],
        known: known.get(emailId),
        waiting: waitingByEmail.get(emailId) ?? [],
      }),
    ]),
  );
}
