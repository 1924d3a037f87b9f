import { Refusal } from '@postern/contracts';

export interface SystemMailOptions {
  /** For the List-Unsubscribe headers. */
  readonly unsubscribeUrl?: string;
}

/** `not_sent`: a retry is safe. `unknown`: a relay may have accepted the mail. */
export interface SystemMailAttempt {
  readonly result: 'accepted' | 'refused' | 'not_sent' | 'unknown';
  /** The response of the relay, or the reason why there is none. */
  readonly response: string;
}

/** Mail that Postern itself sends (codes, warnings), from `no-reply@` the sandbox domain. */
export abstract class SystemMail {
  /** Sends the mail once. */
  abstract attempt(to: string, subject: string, text: string, options?: SystemMailOptions): Promise<SystemMailAttempt>;

  /**
   * Refuses with `relay_unavailable` when no relay accepted the mail; the refusal contains the time of a retry unless a
   * retry is useless.
   */
  async send(to: string, subject: string, text: string, options?: SystemMailOptions): Promise<void> {
    const { result, response } = await this.attempt(to, subject, text, options);
    if (result === 'accepted') return;
    const details = result === 'refused' ? {} : { retry_after_s: 5 };
    throw new Refusal('relay_unavailable', `the mail could not be sent: ${response}`, details);
  }
}

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
