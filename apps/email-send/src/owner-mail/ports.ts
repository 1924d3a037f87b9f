import type { EnvelopeOf, OwnerMailFacts, ownerMailConsumer } from '@postern/contracts';

/** An event that the owners of a workspace are mailed about. */
export type OwnerEvent = EnvelopeOf<(typeof ownerMailConsumer.contracts)[number]>;

/** What events leave out: names, reasons and addresses, which platform-management knows. */
export abstract class OwnerFacts {
  /** Undefined if what the event is about was deleted. */
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

/** Which mails may be sent, decided before they are sent and shared by all replicas. */
export abstract class OwnerMailClaims {
  /**
   * Takes the only right to send a mail. @returns false if it was taken before, if a later event was mailed about, or if
   * the owner had a mail of this kind about the resource within the last hour.
   */
  abstract take(claim: OwnerMailClaim): Promise<boolean>;
  /** Gives the right back, because nothing was sent. */
  abstract release(claim: OwnerMailClaim): Promise<void>;
  /** Deletes claims of events before the time, which are not mailed about any more. */
  abstract purge(before: Date): Promise<void>;
}
