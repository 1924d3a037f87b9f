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
