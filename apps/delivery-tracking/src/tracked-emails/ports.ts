import type { EventMetadata } from '@postern/event-sourcing';
import type { OtherMail } from '@postern/mail';
import type { SuppressionEvent } from '../suppressions/address-suppression.js';
import type { Signal, SignalRefusal } from './signal.js';
import type { TrackedEmailEvent } from './tracked-email-events.js';

export type TrackingEvent = TrackedEmailEvent | SuppressionEvent;

/** An event of before, and the trace that it belongs to. */
export type PastEvent = TrackingEvent & { readonly traceparent: string | null };

/** A signal on its way: whom it concerns and how it came. */
export interface ToldSignal {
  readonly emailId: string;
  readonly signal: Signal;
  readonly metadata: EventMetadata;
  /** The id of the event that told it; such a signal is taken only once. */
  readonly eventId?: string;
}

/** What became of a signal: it made events, or it said nothing new, or it waits for its email, or it must not count. */
export type SignalFate =
  | { readonly kind: 'recorded' | 'nothing_new' | 'taken_before' | 'waiting' }
  | { readonly kind: 'ignored'; readonly cause: SignalRefusal };

export interface WaitingSignal {
  readonly id: string;
  readonly told: ToldSignal;
}

export interface StreamAppend {
  readonly streamId: string;
  /** 0 for a stream that does not exist yet. */
  readonly expectedVersion: number;
  readonly events: readonly { readonly event: TrackingEvent; readonly metadata: EventMetadata }[];
}

/** What a transaction begins with: the streams that it locks, and the emails whose waiting signals it takes up. */
export interface TrackingOpening {
  readonly streamIds: readonly string[];
  readonly arriving: readonly string[];
}

/** What stood there once the streams were locked. */
export interface TrackingOpened {
  /** The events of each stream in order; a stream without any is absent. */
  readonly histories: ReadonlyMap<string, readonly PastEvent[]>;
  /** In order of arrival. */
  readonly waiting: readonly WaitingSignal[];
}

/** All that one transaction changes. */
export interface TrackingChanges {
  /** Events of other services to be noted as taken. */
  readonly taken: readonly string[];
  readonly appends: readonly StreamAppend[];
  readonly nowWaiting: readonly ToldSignal[];
  readonly noLongerWaiting: readonly string[];
}

/** One transaction over the streams it has locked. All locks come before the first write. */
export interface TrackingTransaction {
  /** Locks further streams and reads them. Email streams before suppression streams. */
  also(streamIds: readonly string[]): Promise<ReadonlyMap<string, readonly PastEvent[]>>;
  /** The only write, after the last lock. Answers those of the taken events that had not been taken before. */
  write(changes: TrackingChanges): Promise<ReadonlySet<string>>;
}

/** The service's database as its commands see it. */
export abstract class TrackingTransactions {
  /**
   * Runs the work once nobody else can decide the streams until the transaction ends, and commits; nothing of it stays
   * where it throws.
   */
  abstract run<Result>(
    opening: TrackingOpening,
    work: (transaction: TrackingTransaction, opened: TrackingOpened) => Promise<Result>,
  ): Promise<Result>;
}

/** Signals whose email is not known yet. */
export abstract class WaitingSignals {
  /** Drops what has waited since before `before`; answers what was dropped, by kind. */
  abstract dropOlderThan(before: Date): Promise<ReadonlyMap<string, number>>;
}

/** Emails of which something was expected that did not come. */
export abstract class OverdueEmails {
  /** Ids of emails with a copy that has been waited for since before `since`, the longest waiting first. */
  abstract find(since: Date, limit: number): Promise<readonly string[]>;
}

/** Lets a caller read what it has written. */
export abstract class ReadModels {
  /** Resolves once the read models contain everything that is committed now. */
  abstract caughtUp(): Promise<void>;
}

/** A message that came to the bounce listener. */
export interface ReceivedReport {
  /** The envelope sender; empty for the null sender. */
  readonly sender: string;
  /** The local parts it was for, all at the bounce domain. */
  readonly localParts: readonly string[];
  readonly raw: Uint8Array;
}

export type ReportCause = 'forged_return_path' | 'sender_not_null' | 'not_a_complaint' | OtherMail | SignalRefusal;

/** Counts what the operator has to see. */
export abstract class TrackingCounters {
  abstract signal(kind: Signal['kind'], fate: SignalFate): void;
  /** An event that is durable now. */
  abstract recorded(event: TrackingEvent): void;
  /** A report that changed nothing, by cause. */
  abstract ignoredReport(cause: ReportCause): void;
  /** What the bounce listener turned away before it was a message: relaying, size, rate … */
  abstract refusedMail(cause: string): void;
  abstract droppedWaiting(kind: string, count: number): void;
}

/** Mail that came back to a return path made for a probe of the operator's. */
export abstract class ReturnPathArrivals {
  /** Tells whoever waits for it just now. */
  abstract tell(probeId: string): void;
}
