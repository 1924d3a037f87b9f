import type {
  DataOf,
  emailBounced,
  emailCopyRetried,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
  RequestOf,
  recordClick,
  recordOpen,
} from '@postern/contracts';
import type { BounceEvidence } from '@postern/mail';
import type { EmailFacts } from './tracked-email-state.js';

/** The rule that classified a bounce, and its advice; stored with the bounce. */
export type BounceClassification = NonNullable<DataOf<typeof emailBounced>['classification']>;

/** What a delivery notification reports about one recipient (RFC 3464 §2.3.3), already classified. */
export interface NotifiedStatus {
  /** `not_understood`: a mail from the null sender that could not be read; `response` is its text. */
  readonly action: 'delivered' | 'relayed' | 'expanded' | 'delayed' | 'failed' | 'not_understood';
  /** Every spelling of the reported address, original and final; empty if only the return path names the recipient. */
  readonly addresses: readonly string[];
  /** Every address that the same notification reports about, if it reports about several. */
  readonly allAddresses?: readonly string[];
  /** The response of the receiving server, or a description if it gave none. */
  readonly response: string;
  /** Meaningful for failures only. */
  readonly bounceType: 'hard' | 'soft';
  readonly classification?: BounceClassification;
  /** The input of the classification; stored for a limited time, for reclassification. */
  readonly evidence?: BounceEvidence;
}

/**
 * One observation about one email: the command of the tracked email. Signals whose email is unknown are stored as
 * JSON, so kinds and field names must not change.
 */
export type Signal =
  | { readonly kind: 'accepted'; readonly data: EmailFacts }
  | { readonly kind: 'handed_over'; readonly data: DataOf<typeof emailHandedOver> }
  | { readonly kind: 'copy_retried'; readonly data: DataOf<typeof emailCopyRetried> }
  | { readonly kind: 'not_handed_over'; readonly data: DataOf<typeof emailNotHandedOver> }
  | { readonly kind: 'interrupted'; readonly data: DataOf<typeof emailInterrupted> }
  | {
      readonly kind: 'notified';
      /** Absent if the report names only the message; then the addresses of its status identify the recipient. */
      readonly index?: number;
      readonly status: NotifiedStatus;
      readonly at: string;
    }
  | {
      readonly kind: 'complained';
      /** Absent if the report names only the message; then `addresses` identify the recipient. */
      readonly index?: number;
      readonly addresses?: readonly string[];
      readonly source: string;
      readonly at: string;
    }
  | { readonly kind: 'opened'; readonly data: RequestOf<typeof recordOpen> }
  | { readonly kind: 'clicked'; readonly data: RequestOf<typeof recordClick> }
  | {
      readonly kind: 'reclassified';
      readonly index: number;
      readonly bounceType: 'hard' | 'soft';
      readonly classification: BounceClassification;
      readonly at: string;
    }
  /** The owner created a rule for this bounce. */
  | { readonly kind: 'corrected'; readonly index: number; readonly at: string }
  | { readonly kind: 'unsubscribed'; readonly index: number; readonly at: string }
  | { readonly kind: 'deadline_passed'; readonly at: string };

/** Why a valid signal has no effect; these codes are also metric labels. */
export type SignalRefusal =
  | 'unknown_recipient'
  | 'report_for_another_recipient'
  | 'too_many_openings'
  | 'too_many_notices';
