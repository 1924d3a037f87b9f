import type {
  DataOf,
  EventOf,
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
import type { BounceClassification } from './signal.js';
import type { EmailFacts } from './tracked-email-state.js';

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

interface OfCopy {
  readonly email_id: string;
  readonly index: number;
  readonly at: string;
}

/** For an event that can be the first of its stream, so that the stream is found when the service is deleted. */
interface OfService {
  readonly service_id: string;
}

interface Reclassification {
  readonly old_type: 'hard' | 'soft';
  readonly new_type: 'hard' | 'soft';
  readonly classification: BounceClassification;
}

/** What email-send said about an email. The row of the email holds it; its stream does not. */
export type FollowedEvent =
  | PrivateEvent<'email-tracked.v1', EmailFacts>
  | PrivateEvent<'hand-over-recorded.v1', DataOf<typeof emailHandedOver>>
  | PrivateEvent<'copy-retried.v1', DataOf<typeof emailCopyRetried>>
  | PrivateEvent<'hand-over-failed.v1', DataOf<typeof emailNotHandedOver>>
  | PrivateEvent<'hand-over-interrupted.v1', DataOf<typeof emailInterrupted>>;

/** Everything known about a tracked email: what email-send said, facts about one copy, and the public events. */
export type TrackedEmailEvent =
  | FollowedEvent
  | PrivateEvent<'delivery-delayed.v1', OfRecipient & OfService & { readonly reason: string }>
  | PrivateEvent<'notification-missed.v1', OfRecipient & OfService & { readonly reason: string }>
  | PrivateEvent<'notice-not-understood.v1', OfCopy & OfService & { readonly text: string }>
  | PrivateEvent<'recipient-unsubscribed.v1', OfCopy & { readonly service_id: string; readonly address: string }>
  | PrivateEvent<'bounce-reclassified.v1', OfCopy & Reclassification>
  | PrivateEvent<'clicks-recognised-as-machine.v1', OfRecipient & { readonly reason: string }>
  | PublicEvent;

export const EMAIL_TRACKED = 'delivery-tracking.email-tracked.v1';
export const HAND_OVER_RECORDED = 'delivery-tracking.hand-over-recorded.v1';
export const COPY_RETRIED = 'delivery-tracking.copy-retried.v1';
export const HAND_OVER_FAILED = 'delivery-tracking.hand-over-failed.v1';
export const HAND_OVER_INTERRUPTED = 'delivery-tracking.hand-over-interrupted.v1';
export const DELIVERY_DELAYED = 'delivery-tracking.delivery-delayed.v1';
export const NOTIFICATION_MISSED = 'delivery-tracking.notification-missed.v1';
export const NOTICE_NOT_UNDERSTOOD = 'delivery-tracking.notice-not-understood.v1';
export const RECIPIENT_UNSUBSCRIBED = 'delivery-tracking.recipient-unsubscribed.v1';
export const BOUNCE_RECLASSIFIED = 'delivery-tracking.bounce-reclassified.v1';
export const CLICKS_RECOGNISED_AS_MACHINE = 'delivery-tracking.clicks-recognised-as-machine.v1';

/** One stream per email, so that its signals are decided one after another. */
export const trackedEmailStream = (emailId: string): string => `tracked-email-${emailId}`;

const FOLLOWED: ReadonlySet<string> = new Set<FollowedEvent['type']>([
  EMAIL_TRACKED,
  HAND_OVER_RECORDED,
  COPY_RETRIED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
]);

export const isFollowed = (event: { readonly type: string }): event is FollowedEvent => FOLLOWED.has(event.type);
