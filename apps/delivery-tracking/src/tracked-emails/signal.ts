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

/** What a notification says of one recipient (RFC 3464 §2.3.3), its class already read. */
export interface NotifiedStatus {
  readonly action: 'delivered' | 'relayed' | 'expanded' | 'delayed' | 'failed';
  /** Every spelling of the address that the report is about, original and final. */
  readonly addresses: readonly string[];
  /** The receiving server's own words, or a fair text where it gave none. */
  readonly response: string;
  /** Of a failure; meaningless otherwise. */
  readonly bounceType: 'hard' | 'soft';
}

/**
 * One thing that somebody tells of one email. Plain data that survives JSON: a signal may have to wait in the
 * database until its email is known.
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

/** Why a signal changes nothing although it was understood; counted by this name. */
export type SignalRefusal = 'unknown_recipient' | 'report_for_another_recipient' | 'too_many_openings';
