import type { EventMetadata } from '@postern/event-sourcing';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import type { BounceEvidence } from '@postern/mail';
import type { SuppressionEvent } from './address-suppression.js';
import type { OwnBounceRule } from './own-bounce-rules.js';
import type { Signal, SignalRefusal } from './signal.js';
import type { FollowedEvent, TrackedEmailEvent } from './tracked-email-events.js';

export type TrackingEvent = TrackedEmailEvent | SuppressionEvent;

/** A stored event, with the trace that it belongs to. */
export type PastEvent = TrackingEvent & { readonly traceparent: string | null };

/** A signal with its email and its origin. Stored as JSON while its email is unknown: field names must not change. */
export interface ReceivedSignal {
  readonly emailId: string;
  readonly signal: Signal;
  readonly metadata: EventMetadata;
}

/** The outcome of a signal; the kinds are also metric labels. */
export type SignalOutcome =
  | { readonly kind: 'recorded' | 'nothing_new' | 'waiting' }
  | { readonly kind: 'ignored'; readonly cause: SignalRefusal };

/** A stored signal whose email was unknown when it arrived. */
export interface WaitingSignal {
  readonly id: string;
  readonly received: ReceivedSignal;
}

/** What is known of an email from email-send. */
export interface KnownEmail {
  readonly events: readonly FollowedEvent[];
  readonly traceparent: string | null;
}

/** What email-send said about an email since the last time, to fold into its row. */
export interface FollowedEmail {
  readonly emailId: string;
  readonly isNew: boolean;
  readonly events: readonly FollowedEvent[];
  /** Of a new email. */
  readonly traceparent: string | null;
}

/** Events to append to one stream. */
export interface StreamAppend {
  readonly streamId: string;
  /** 0 for a new stream. */
  readonly expectedVersion: number;
  readonly events: readonly { readonly event: TrackingEvent; readonly metadata: EventMetadata }[];
}

/** What a transaction locks and reads before its work. */
export interface TransactionScope {
  readonly streamIds: readonly string[];
  /** Emails, to read what email-send said about them. */
  readonly emailIds: readonly string[];
  /** Emails, to read the signals that wait for them. */
  readonly waitingFor: readonly string[];
  /** Whether the transaction may write `followed`. */
  readonly follows: boolean;
}

/** What a transaction reads after it has locked its streams. */
export interface LockedState {
  /** The events of each stream in order; empty streams are absent. */
  readonly histories: ReadonlyMap<string, readonly PastEvent[]>;
  /** By email id. */
  readonly known: ReadonlyMap<string, KnownEmail>;
  /** In order of arrival. */
  readonly waiting: readonly WaitingSignal[];
}

/** Everything that one transaction writes. */
export interface TrackingChanges {
  readonly appends: readonly StreamAppend[];
  readonly followed?: readonly FollowedEmail[];
  readonly signalsToStore: readonly ReceivedSignal[];
  readonly signalIdsToDelete: readonly string[];
  readonly noticesToStore: readonly BounceNotice[];
}

/** One transaction over locked streams. All locks are taken before the first write. */
export interface TrackingTransaction {
  /** Locks and reads further streams. To prevent deadlocks, email streams come before suppression streams. */
  lockMore(streamIds: readonly string[]): Promise<ReadonlyMap<string, readonly PastEvent[]>>;
  /** The bounce rules of email services, newest first. */
  ownRules(serviceIds: readonly string[]): Promise<ReadonlyMap<string, readonly OwnBounceRule[]>>;
  /** The only write, after the last lock. */
  write(changes: TrackingChanges): Promise<void>;
}

/** The database operations that `RecordSignals` needs. */
export abstract class TrackingTransactions {
  /**
   * Runs `work` with exclusive access to the streams and commits; rolls back when it throws. Within a transaction of events,
   * its owner commits or rolls back.
   */
  abstract run<Result>(
    scope: TransactionScope,
    work: (transaction: TrackingTransaction, locked: LockedState) => Promise<Result>,
    within?: EventTransaction,
  ): Promise<Result>;
}

/** The input of the classification of a bounce. */
export interface BounceNotice {
  readonly emailId: string;
  readonly index: number;
  readonly at: string;
  readonly evidence: BounceEvidence;
}

/** The metrics of recorded signals. */
export abstract class SignalMetrics {
  abstract signal(kind: Signal['kind'], outcome: SignalOutcome): void;
  /** Counts a durable event. */
  abstract recorded(event: TrackingEvent): void;
  /** Counts waiting signals that were deleted because their email never became known. */
  abstract dropped(kind: string, count: number): void;
}
