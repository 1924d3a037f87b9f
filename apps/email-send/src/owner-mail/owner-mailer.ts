import { Inject, Injectable } from '@nestjs/common';
import { type OwnerMailFacts, Refusal } from '@postern/contracts';
import { DatabaseClock, type DatabaseTime, ServiceLog } from '@postern/service-host';
import { NoticeLimits, SystemMail } from '../system-mail/ports.js';
import { type OwnerMailClaim, OwnerMailClaims } from './ports.js';

/** What a mail is about: each owner gets it once. */
export type OwnerNotice = Omit<OwnerMailClaim, 'userId'>;

type Recipient = OwnerMailFacts['recipients'][number];

/**
 * Mails the owners of a workspace. A mail is claimed before it is sent: after a crash it may be lost, and it is never sent
 * twice.
 */
@Injectable()
export class OwnerMailer {
  constructor(
    private readonly claims: OwnerMailClaims,
    private readonly limits: NoticeLimits,
    private readonly systemMail: SystemMail,
    private readonly log: ServiceLog,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {}

  /**
   * Mails each recipient who has not had the notice.
   * @throws the refusal `relay_unavailable`; a repetition mails those who have not received it.
   */
  async mail(
    recipients: readonly Recipient[],
    notice: OwnerNotice,
    mail: { readonly subject: string; readonly text: string },
  ): Promise<void> {
    const unsent: string[] = [];
    for (const recipient of await this.claim(recipients, notice)) {
      const response = await this.send(recipient, notice, mail);
      if (response !== undefined) unsent.push(response);
    }
    if (unsent[0] !== undefined) throw new Refusal('relay_unavailable', `the mail could not be sent: ${unsent[0]}`);
  }

  /** Claims the mail for those recipients who have not had it. */
  async claim(recipients: readonly Recipient[], notice: OwnerNotice): Promise<readonly Recipient[]> {
    const claimed: Recipient[] = [];
    for (const recipient of recipients)
      if (await this.claims.take({ ...notice, userId: recipient.user_id })) claimed.push(recipient);
    return claimed;
  }

  async release(recipients: readonly Recipient[], notice: OwnerNotice): Promise<void> {
    for (const { user_id: userId } of recipients) await this.claims.release({ ...notice, userId });
  }

  /** Sends a claimed mail. @returns the response of the relay if a retry is needed, for which the claim is released. */
  async send(
    recipient: Recipient,
    notice: OwnerNotice,
    { subject, text }: { readonly subject: string; readonly text: string },
  ): Promise<string | undefined> {
    const { user_id: userId, email } = recipient;
    const fields = { resource: notice.resourceId, type: notice.kind, user: userId };
    const limited = { address: email, kind: notice.kind, at: this.clock.now() };
    if (!(await this.limits.take(limited))) {
      this.log.warn(fields, 'The owner had too many emails of this kind');
      return undefined;
    }
    const { result, response } = await this.systemMail.attempt(email, subject, text);
    if (result === 'not_sent') {
      await this.limits.release(limited);
      await this.release([recipient], notice);
      return response;
    }
    if (result === 'accepted') this.log.info(fields, 'Emailed an owner');
    else this.log.warn({ ...fields, result }, 'An email to an owner was not accepted and is not retried');
    return undefined;
  }
}
