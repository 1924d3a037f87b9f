/** A notice that a user can cause: its recipient and the type of its event. */
export interface LimitedNotice {
  readonly address: string;
  readonly kind: string;
  readonly at: Date;
}

/**
 * Limits the notices to each mailbox over all replicas. Every kind is limited separately, so that many notices of one kind
 * do not suppress another kind.
 */
export abstract class NoticeLimits {
  /** Counts a notice. @returns false if the mailbox had too many of this kind. */
  abstract take(notice: LimitedNotice): Promise<boolean>;
  /** Undoes `take` for a notice that was not sent. */
  abstract release(notice: LimitedNotice): Promise<void>;
}
