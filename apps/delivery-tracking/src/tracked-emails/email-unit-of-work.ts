import { emailBounced } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { EventMetadata } from '@postern/event-sourcing';
import { addressKey } from '@postern/mail';
import type { BounceNotice, PastEvent, ReceivedSignal, SignalOutcome, StreamAppend, WaitingSignal } from './ports.js';
import type { SignalRefusal } from './signal.js';
import { trackedEmail } from './tracked-email.js';
import type { PublicEvent, TrackedEmailEvent } from './tracked-email-events.js';
import type { TrackedEmail } from './tracked-email-state.js';

export interface EventWithMetadata<Event> {
  readonly event: Event;
  readonly metadata: EventMetadata;
}

/** Decides the signals of one email within one transaction and collects what to write. */
export class EmailUnitOfWork {
  signalsToStore: ReceivedSignal[] = [];
  readonly signalIdsToDelete: string[] = [];
  readonly noticesToStore: BounceNotice[] = [];
  readonly #events: EventWithMetadata<TrackedEmailEvent>[] = [];
  readonly #version: number;
  #traceparent: string | undefined;
  #state: TrackedEmail;

  constructor(
    readonly streamId: string,
    history: readonly (PastEvent & TrackedEmailEvent)[],
    private readonly waiting: readonly WaitingSignal[],
  ) {
    this.#version = history.length;
    this.#state = history.reduce<TrackedEmail>(trackedEmail.evolve, trackedEmail.initial);
    this.#traceparent = history[0]?.traceparent ?? undefined;
  }

  /** Once the email becomes known, also decides the signals that waited for it. */
  process(received: ReceivedSignal): SignalOutcome {
    if (this.#state.facts || received.signal.kind !== 'accepted') return this.#decideOrStore(received);
    const outcome = this.#decideOrStore(received);
    for (const { id, received: earlier } of this.waiting) {
      this.signalIdsToDelete.push(id);
      this.#decideOrStore(earlier);
    }
    const earlierInBatch = this.signalsToStore;
    this.signalsToStore = [];
    for (const earlier of earlierInBatch) this.#decideOrStore(earlier);
    return outcome;
  }

  appends(): StreamAppend[] {
    return this.#events.length > 0
      ? [{ streamId: this.streamId, expectedVersion: this.#version, events: this.#events }]
      : [];
  }

  #decideOrStore(received: ReceivedSignal): SignalOutcome {
    if (!this.#state.facts && received.signal.kind !== 'accepted') {
      this.signalsToStore.push(received);
      return { kind: 'waiting' };
    }
    try {
      const events = trackedEmail.decide(received.signal, this.#state);
      this.#state = events.reduce(trackedEmail.evolve, this.#state);
      const metadata = this.#withTrace(received.metadata);
      this.#events.push(...events.map(event => ({ event, metadata })));
      this.#keepNotice(received, events);
      return { kind: events.length > 0 ? 'recorded' : 'nothing_new' };
    } catch (error) {
      if (!Refusal.is(error)) throw error;
      return { kind: 'ignored', cause: error.code as SignalRefusal };
    }
  }

  /** The input of the classification is stored, so that newer rules can reclassify the bounce. */
  #keepNotice({ emailId, signal }: ReceivedSignal, events: readonly TrackedEmailEvent[]): void {
    if (signal.kind !== 'notified' || signal.status.evidence === undefined) return;
    const { at } = signal;
    const { addresses, evidence } = signal.status;
    const bounce = events.find(event => event.type === emailBounced.type);
    // The failure of a forwarded address stays soft, regardless of its text.
    const isOwn = ({ data }: PublicEvent) =>
      addresses.length === 0 || addresses.some(address => addressKey(address) === addressKey(data.to));
    if (bounce && isOwn(bounce)) {
      this.noticesToStore.push({ emailId, index: bounce.data.recipient_index, at, evidence });
    }
  }

  /** Reports and deadlines have no trace of their own; they join the trace in which the email was sent. */
  #withTrace(metadata: EventMetadata): EventMetadata {
    this.#traceparent ??= metadata.traceparent;
    return metadata.traceparent ? metadata : { ...metadata, traceparent: this.#traceparent };
  }
}
