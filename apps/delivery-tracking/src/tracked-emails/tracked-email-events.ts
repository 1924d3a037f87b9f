import type {
  DataOf,
  EventOf,
  emailAccepted,
  emailBounced,
  emailClicked,
  emailComplained,
  emailCopyRetried,
  emailDelivered,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
  emailOpened,
} from '@postern/contracts';

/** The five public events; each concerns one recipient. */
export type PublicEvent = EventOf<
  typeof emailDelivered | typeof emailBounced | typeof emailComplained | typeof emailOpened | typeof emailClicked
>;

interface PrivateEvent<Type extends string, Data> {
  readonly type: `delivery-tracking.${Type}`;
  readonly data: Data;
}

interface OfRecipient {
  readonly email_id: string;
  readonly recipient_index: number;
  readonly at: string;
}

/** Events of a tracked email: facts from email-send, facts about one copy, and the public events. */
export type TrackedEmailEvent =
  | PrivateEvent<'email-tracked.v1', DataOf<typeof emailAccepted>>
  | PrivateEvent<'hand-over-recorded.v1', DataOf<typeof emailHandedOver>>
  | PrivateEvent<'copy-retried.v1', DataOf<typeof emailCopyRetried>>
  | PrivateEvent<'hand-over-failed.v1', DataOf<typeof emailNotHandedOver>>
  | PrivateEvent<'hand-over-interrupted.v1', DataOf<typeof emailInterrupted>>
  | PrivateEvent<'delivery-delayed.v1', OfRecipient & { readonly reason: string }>
  | PrivateEvent<'notification-missed.v1', OfRecipient & { readonly reason: string }>
  | PrivateEvent<'clicks-recognised-as-machine.v1', OfRecipient & { readonly reason: string }>
  | PublicEvent;

export const EMAIL_TRACKED = 'delivery-tracking.email-tracked.v1';
export const HAND_OVER_RECORDED = 'delivery-tracking.hand-over-recorded.v1';
export const COPY_RETRIED = 'delivery-tracking.copy-retried.v1';
export const HAND_OVER_FAILED = 'delivery-tracking.hand-over-failed.v1';
export const HAND_OVER_INTERRUPTED = 'delivery-tracking.hand-over-interrupted.v1';
export const DELIVERY_DELAYED = 'delivery-tracking.delivery-delayed.v1';
export const NOTIFICATION_MISSED = 'delivery-tracking.notification-missed.v1';
export const CLICKS_RECOGNISED_AS_MACHINE = 'delivery-tracking.clicks-recognised-as-machine.v1';

/** One stream per email, so that its signals are decided one after another. */
export const trackedEmailStream = (emailId: string): string => `tracked-email-${emailId}`;
