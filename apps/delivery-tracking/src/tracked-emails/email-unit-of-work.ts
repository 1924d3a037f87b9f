import { emailBounced } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { EventMetadata } from '@postern/event-sourcing';
import { addressKey } from '@postern/mail';
import type { OwnBounceRule } from './own-bounce-rules.js';
import type {
  BounceNotice,
  FollowedEmail,
  KnownEmail,
  PastEvent,
  ReceivedSignal,
  SignalOutcome,
  StreamAppend,
  WaitingSignal,
} from './ports.js';
import type { SignalRefusal } from './signal.js';
import { trackedEmail } from './tracked-email.js';
import {
  type FollowedEvent,
  isFollowed,
  type PublicEvent,
  type TrackedEmailEvent,
  trackedEmailStream,
} from './tracked-email-events.js';
import type { TrackedEmail } from './tracked-email-state.js';

export interface EventWithMetadata<Event> {
  readonly event: Event;
  readonly metadata: EventMetadata;
}

/** What a transaction knows about an email before its signals. */
export interface EmailSoFar {
  readonly emailId: string;
  readonly history: readonly (PastEvent & TrackedEmailEvent)[];
  readonly known: KnownEmail | undefined;
  readonly waiting: readonly WaitingSignal[];
}

/**
 * Decides the signals of one email within one transaction and collects what to write: what email-send said goes to the row of the email,
 * and the stream has everything else.
 */
export class EmailUnitOfWork {
  signalsToStore: ReceivedSignal[] = [];
  readonly signalIdsToDelete: string[] = [];
  readonly noticesToStore: BounceNotice[] = [];
  readonly #emailId: string;
  readonly #history: EmailSoFar['history'];
  readonly #waiting: readonly WaitingSignal[];
  readonly #events: EventWithMetadata<TrackedEmailEvent>[] = [];
  readonly #followed: FollowedEvent[] = [];
  readonly #version: number;
  readonly #isNew: boolean;
  #traceparent: string | undefined;
  #state: TrackedEmail;
  #rules: ReadonlyMap<string, readonly OwnBounceRule[]> = new Map();

  constructor({ emailId, history, known, waiting }: EmailSoFar) {
    this.#emailId = emailId;
    this.#history = history;
    this.#waiting = waiting;
    this.#version = history.length;
    this.#isNew = known === undefined;
    this.#state = [...(known?.events ?? []), ...history].reduce<TrackedEmail>(
      trackedEmail.evolve,
      trackedEmail.initial,
    );
    this.#traceparent = (known ?? history[0])?.traceparent ?? undefined;
  }

  /** The email service, once the email is known. */
  get serviceId(): string | undefined {
    return this.#state.facts?.service_id;
  }

  /** The bounce rules of email services, for the following decisions. */
  useRules(rules: ReadonlyMap<string, readonly OwnBounceRule[]>): void {
    this.#rules = rules;
  }

  /** Once the email becomes known, also decides the signals that waited for it. */
  process(received: ReceivedSignal): SignalOutcome {
    if (this.#state.facts || received.signal.kind !== 'accepted') return this.#decideOrStore(received);
    const outcome = this.#decideOrStore(received);
    // Of an email whose row was lost, but not its stream.
    this.#state = this.#history.reduce(trackedEmail.evolve, this.#state);
    this.#decideWaiting();
    const earlierInBatch = this.signalsToStore;
    this.signalsToStore = [];
    for (const earlier of earlierInBatch) this.#decideOrStore(earlier);
    return outcome;
  }

  #decideWaiting(): void {
    if (!this.#state.facts) return;
    for (const { id, received } of this.#waiting) {
      this.signalIdsToDelete.push(id);
      this.#decideOrStore(received);
    }
  }

  followed(): FollowedEmail[] {
    if (this.#followed.length === 0) return [];
    const [emailId, isNew, events, traceparent] = [
      this.#emailId,
      this.#isNew,
      this.#followed,
      this.#traceparent ?? null,
    ];
    return [{ emailId, isNew, events, traceparent }];
  }

  appends(): StreamAppend[] {
    return this.#events.length > 0
      ? [{ streamId: trackedEmailStream(this.#emailId), expectedVersion: this.#version, events: this.#events }]
      : [];
  }

  #decideOrStore(received: ReceivedSignal): SignalOutcome {
    if (!this.#state.facts && received.signal.kind !== 'accepted') {
      this.signalsToStore.push(received);
      return { kind: 'waiting' };
    }
    try {
      const ownRules = this.#rules.get(this.serviceId ?? '') ?? [];
      const events = trackedEmail.decide(received.signal, { ...this.#state, ownRules });
      this.#state = events.reduce(trackedEmail.evolve, this.#state);
      const metadata = this.#withTrace(received.metadata);
      for (const event of events) {
        if (isFollowed(event)) this.#followed.push(event);
        else this.#events.push({ event, metadata });
      }
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
