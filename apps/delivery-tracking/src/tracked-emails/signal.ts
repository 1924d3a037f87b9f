import type {
  DataOf,
  emailAccepted,
  emailCopyRetried,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
  RequestOf,
  recordClick,
  recordOpen,
} from '@postern/contracts';

/** What a delivery status notification reports about one recipient (RFC 3464 §2.3.3), already classified. */
export interface NotifiedStatus {
  readonly action: 'delivered' | 'relayed' | 'expanded' | 'delayed' | 'failed';
  /** Every spelling of the reported address, original and final. */
  readonly addresses: readonly string[];
  /** The response of the receiving server, or a description where it gave none. */
  readonly response: string;
  /** Meaningful for failures only. */
  readonly bounceType: 'hard' | 'soft';
}

/**
 * One observation about one email: the command of the tracked email. Signals whose email is unknown are stored as
 * JSON, so kinds and field names must not change.
 */
export type Signal =
  | { readonly kind: 'accepted'; readonly data: DataOf<typeof emailAccepted> }
  | { readonly kind: 'handed_over'; readonly data: DataOf<typeof emailHandedOver> }
  | { readonly kind: 'copy_retried'; readonly data: DataOf<typeof emailCopyRetried> }
  | { readonly kind: 'not_handed_over'; readonly data: DataOf<typeof emailNotHandedOver> }
  | { readonly kind: 'interrupted'; readonly data: DataOf<typeof emailInterrupted> }
  | { readonly kind: 'notified'; readonly index: number; readonly status: NotifiedStatus; readonly at: string }
  | { readonly kind: 'complained'; readonly index: number; readonly source: string; readonly at: string }
  | { readonly kind: 'opened'; readonly data: RequestOf<typeof recordOpen> }
  | { readonly kind: 'clicked'; readonly data: RequestOf<typeof recordClick> }
  | { readonly kind: 'deadline_passed'; readonly at: string };

/** Why a valid signal has no effect; these codes are also metric labels. */
export type SignalRefusal = 'unknown_recipient' | 'report_for_another_recipient' | 'too_many_openings';
