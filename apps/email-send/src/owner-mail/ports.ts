import type { EnvelopeOf, notifyWorkspace, OwnerMailFacts, ownerMailConsumer, RequestOf } from '@postern/contracts';

/** An event of which the owners of a workspace or its notification targets are told. */
export type OwnerEvent = EnvelopeOf<(typeof ownerMailConsumer.contracts)[number]>;

/** An event that is mailed. */
export type MailedOwnerEvent = Exclude<OwnerEvent, { readonly type: 'platform-management.deployment-live.v1' }>;

/** What the notification targets of a workspace are told. */
export type OwnerNotification = RequestOf<typeof notifyWorkspace>;

/** The notification targets of workspaces, in platform-management. */
export abstract class OwnerNotifications {
  /** Telling the same notification again has no effect. */
  abstract notify(notification: OwnerNotification): Promise<void>;
}

/** Data that events omit, from platform-management: names, reasons and addresses. */
export abstract class OwnerFacts {
  /** Undefined if the subject of the event was deleted. */
  abstract of(event: OwnerEvent): Promise<OwnerMailFacts | undefined>;
}

/** One mail to one owner. */
export interface OwnerMailClaim {
  /** The web service or database. */
  readonly resourceId: string;
  /** The type of the event. */
  readonly kind: string;
  readonly userId: string;
  readonly occurredAt: Date;
}

/** Claims on mails, taken before sending and shared by all replicas. */
export abstract class OwnerMailClaims {
  /**
   * Claims the right to send a mail. @returns false if it was claimed before, if a later event was mailed, or if the owner
   * had a mail of this kind about the resource within the last hour.
   */
  abstract take(claim: OwnerMailClaim): Promise<boolean>;
  /** Releases a claim, because nothing was sent. */
  abstract release(claim: OwnerMailClaim): Promise<void>;
}
