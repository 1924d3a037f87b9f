import { Injectable } from '@nestjs/common';
import { emailBounced, emailComplained, Refusal } from '@postern/contracts';
import { addressSuppression, type SuppressionEvent, suppressionStream } from '../suppressions/address-suppression.js';
import { isSuppressedReason } from './hand-over-event.js';
import type { SignalRefusal } from './signal.js';
import { trackedEmail } from './tracked-email.js';
import { type TrackedEmailEvent, trackedEmailStream } from './tracked-email-events.js';
import type { TrackedEmail } from './tracked-email-state.js';
import {
  type PastEvent,
  type SignalFate,
  type StreamAppend,
  type ToldSignal,
  TrackingCounters,
  type TrackingOpened,
  type TrackingTransaction,
  TrackingTransactions,
  type WaitingSignal,
} from './ports.js';

type Recorded = { readonly fates: readonly SignalFate[]; readonly appends: readonly StreamAppend[] };
type Told<Event> = { readonly event: Event; readonly metadata: ToldSignal['metadata'] };

/**
 * Takes any number of signals in one transaction, in the order given: appends what they change, lets those wait whose
 * email is not known, and lists the addresses that turned out bad. Once it resolves, all of it is durable.
 */
@Injectable()
export class RecordSignals {
  constructor(
    private readonly transactions: TrackingTransactions,
    private readonly counters: TrackingCounters,
  ) {}

  /** The fate of each signal, in the order given. */
  async execute(signals: readonly ToldSignal[]): Promise<readonly SignalFate[]> {
    if (signals.length === 0) return [];
    const { fates, appends } = await this.#record(signals, new Set());
    signals.forEach(({ signal }, place) => {
      this.counters.signal(signal.kind, fates[place]!);
    });
    for (const { events } of appends) for (const { event } of events) this.counters.recorded(event);
    return fates;
  }

  async #record(signals: readonly ToldSignal[], taken: ReadonlySet<string>): Promise<Recorded> {
    try {
      const arriving = signals.filter(({ signal }) => signal.kind === 'accepted').map(({ emailId }) => emailId);
      const emailIds = [...new Set(signals.map(({ emailId }) => emailId))];
      return await this.transactions.run(
        { streamIds: emailIds.map(trackedEmailStream), arriving: [...new Set(arriving)] },
        (transaction, opened) => record(transaction, desksOf(emailIds, opened), signals, taken),
      );
    } catch (error) {
      if (error instanceof TakenBefore) return this.#record(signals, new Set([...taken, ...error.eventIds]));
      throw error;
    }
  }
}

/** Undoes a transaction that decided events which turned out to be taken already; rare, so the check comes last. */
class TakenBefore extends Error {
  constructor(readonly eventIds: readonly string[]) {
    super('some of these events were taken before');
  }
}

async function record(
  transaction: TrackingTransaction,
  desks: ReadonlyMap<string, EmailDesk>,
  signals: readonly ToldSignal[],
  taken: ReadonlySet<string>,
): Promise<Recorded> {
  const takenNow = new Set<string>();
  const fates = signals.map((told): SignalFate => {
    const { eventId } = told;
    if (eventId !== undefined) {
      if (taken.has(eventId) || takenNow.has(eventId)) return { kind: 'taken_before' };
      takenNow.add(eventId);
    }
    return desks.get(told.emailId)!.take(told);
  });

  const appends = [...desks.values()].flatMap(desk => desk.append());
  const listings = await suppressions(transaction, appends);
  const fresh = await transaction.write({
    taken: [...takenNow],
    appends: [...appends, ...listings],
    nowWaiting: [...desks.values()].flatMap(desk => desk.waiting),
    noLongerWaiting: [...desks.values()].flatMap(desk => desk.resolved),
  });
  if (fresh.size < takenNow.size) throw new TakenBefore([...takenNow].filter(id => !fresh.has(id)));
  return { fates, appends };
}

function desksOf(emailIds: readonly string[], { histories, waiting }: TrackingOpened): ReadonlyMap<string, EmailDesk> {
  const waitingOf = Map.groupBy(waiting, ({ told }) => told.emailId);
  return new Map(
    emailIds.map(id => [
      id,
      new EmailDesk(
        trackedEmailStream(id),
        (histories.get(trackedEmailStream(id)) ?? []) as readonly (PastEvent & TrackedEmailEvent)[],
        waitingOf.get(id) ?? [],
      ),
    ]),
  );
}

/** Decides the signals of one email within one transaction. */
class EmailDesk {
  waiting: ToldSignal[] = [];
  readonly resolved: string[] = [];
  readonly #events: Told<TrackedEmailEvent>[] = [];
  readonly #version: number;
  #traceparent: string | undefined;
  #state: TrackedEmail;

  constructor(
    readonly streamId: string,
    history: readonly (PastEvent & TrackedEmailEvent)[],
    private readonly earlier: readonly WaitingSignal[],
  ) {
    this.#version = history.length;
    this.#state = history.reduce<TrackedEmail>(trackedEmail.evolve, trackedEmail.initial);
    this.#traceparent = history[0]?.traceparent ?? undefined;
  }

  take(told: ToldSignal): SignalFate {
    if (this.#state.facts || told.signal.kind !== 'accepted') return this.#decideOrWait(told);
    const fate = this.#decideOrWait(told);
    for (const { id, told: waited } of this.earlier) {
      this.resolved.push(id);
      this.#decideOrWait(waited);
    }
    const overtaken = this.waiting;
    this.waiting = [];
    for (const waited of overtaken) this.#decideOrWait(waited);
    return fate;
  }

  /** What a stranger reports, by mail or by a deadline, belongs to the trace that the email was sent in. */
  #inTrace(metadata: ToldSignal['metadata']): ToldSignal['metadata'] {
    this.#traceparent ??= metadata.traceparent;
    return metadata.traceparent ? metadata : { ...metadata, traceparent: this.#traceparent };
  }

  append(): StreamAppend[] {
    return this.#events.length > 0
      ? [{ streamId: this.streamId, expectedVersion: this.#version, events: this.#events }]
      : [];
  }

  #decideOrWait(told: ToldSignal): SignalFate {
    if (!this.#state.facts && told.signal.kind !== 'accepted') {
      this.waiting.push(told);
      return { kind: 'waiting' };
    }
    try {
      const events = trackedEmail.decide(told.signal, this.#state);
      this.#state = events.reduce(trackedEmail.evolve, this.#state);
      const metadata = this.#inTrace(told.metadata);
      this.#events.push(...events.map(event => ({ event, metadata })));
      return { kind: events.length > 0 ? 'recorded' : 'nothing_new' };
    } catch (error) {
      if (!Refusal.is(error)) throw error;
      return { kind: 'ignored', cause: error.code as SignalRefusal };
    }
  }
}

/** A hard bounce or a complaint puts the address on its service's list, in the same transaction. */
async function suppressions(
  transaction: TrackingTransaction,
  appends: readonly StreamAppend[],
): Promise<StreamAppend[]> {
  const bad = new Map<string, Told<SuppressionEvent & { type: 'delivery-tracking.address-suppressed.v1' }>>();
  for (const { event, metadata } of appends.flatMap(({ events }) => events)) {
    const reason = badness(event as TrackedEmailEvent);
    if (!reason || !('to' in event.data)) continue;
    const { service_id, email_id, to, timestamp } = event.data;
    const stream = suppressionStream(service_id, to);
    if (bad.has(stream)) continue;
    const data = { service_id, email_id, address: to.toLowerCase(), reason, at: timestamp };
    bad.set(stream, { event: { type: 'delivery-tracking.address-suppressed.v1', data }, metadata });
  }
  if (bad.size === 0) return [];

  const histories = await transaction.also([...bad.keys()]);
  return [...bad].flatMap(([streamId, { event, metadata }]) => {
    const history = (histories.get(streamId) ?? []) as readonly SuppressionEvent[];
    const state = history.reduce(addressSuppression.evolve, addressSuppression.initial);
    const events = addressSuppression.decide({ kind: 'suppress', data: event.data }, state);
    return events.length > 0
      ? [{ streamId, expectedVersion: history.length, events: events.map(listed => ({ event: listed, metadata })) }]
      : [];
  });
}

/** A bounce that only repeats the list is no reason to list again, for the owner may just have lifted the entry. */
function badness(event: TrackedEmailEvent): 'hard_bounce' | 'complaint' | undefined {
  if (event.type === emailComplained.type) return 'complaint';
  if (event.type !== emailBounced.type || event.data.data.bounce_type !== 'hard') return undefined;
  return isSuppressedReason(event.data.data.reason) ? undefined : 'hard_bounce';
}
