import { Inject, Injectable } from '@nestjs/common';
import { Refusal, sendEmail } from '@postern/contracts';
import { DatabaseClock, type DatabaseTime, Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { draftEmail } from '../emails/email-draft.js';
import { EmailRepository } from '../emails/ports.js';
import { SendEmail } from '../emails/send-email.js';
import { afterError, type Consequence, consequenceOf } from './scheduled-email.js';
import { type ClaimedEmail, ScheduledEmailRepository } from './scheduled-email-repository.js';

const AT_ONCE = 20;
/** Larger messages are sent one at a time, which bounds the memory. */
const LARGE_BYTES = 1024 * 1024;
const UNREADABLE = 'its stored content could not be read, because its encryption key is not configured';

/**
 * Sends scheduled messages at their time, by the rules of POST /emails. All attempts under one message id send it once, so
 * that an attempt that a crash interrupted can be repeated.
 */
@Injectable()
export class SendScheduledEmails {
  constructor(
    private readonly scheduled: ScheduledEmailRepository,
    private readonly sending: SendEmail,
    private readonly emails: EmailRepository,
    private readonly log: ServiceLog,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {}

  /** Sends everything that is due. */
  @Every(1_000, 'send scheduled emails')
  async run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    while (!signal.aborted) {
      const due = await this.scheduled.claimDue(this.clock.now(), AT_ONCE);
      const isLarge = ({ bytes }: ClaimedEmail) => bytes > LARGE_BYTES;
      await Promise.all(due.filter(claimed => !isLarge(claimed)).map(claimed => this.#attempt(claimed)));
      for (const claimed of due.filter(isLarge)) await this.#attempt(claimed);
      if (due.length < AT_ONCE) return;
    }
  }

  /** A message whose outcome cannot be recorded stays claimed until its lease ends. */
  async #attempt(claimed: ClaimedEmail): Promise<void> {
    try {
      await this.#send(claimed);
    } catch (err) {
      this.log.error({ err, scheduledEmailId: claimed.id }, 'The outcome of a scheduled email was not recorded');
    }
  }

  async #send(claimed: ClaimedEmail): Promise<void> {
    const { id, keyHash, attemptId } = claimed;
    let email: Awaited<ReturnType<ScheduledEmailRepository['contentOf']>>;
    try {
      email = await this.scheduled.contentOf(claimed);
    } catch (err) {
      this.log.warn({ err, scheduledEmailId: id }, 'A scheduled email could not be read');
      return this.#settle(claimed, this.#unreadable(claimed));
    }
    if (!email) return;
    const message = email;
    try {
      const reply = await this.sending.send({
        sender: () => this.sending.senderOf(keyHash),
        email_id: attemptId,
        // Another message with the same content is no repetition of this one.
        canonical: JSON.stringify(['scheduled', id]),
        answer_within_ms: sendEmail.deadlineMs,
        bytes: claimed.bytes,
        draft: () => draftEmail(message),
      });
      await this.scheduled.finish(claimed, reply.email, this.clock.now());
      this.emails.answerReceived(reply.email.id);
    } catch (error) {
      await this.#settle(claimed, this.#consequence(error, claimed));
    }
  }

  #settle(claimed: ClaimedEmail, consequence: Consequence): Promise<void> {
    return this.scheduled.settle(claimed, consequence, this.clock.now());
  }

  #consequence(error: unknown, { id, sendAt }: ClaimedEmail): Consequence {
    if (Refusal.is(error)) return consequenceOf(error, sendAt, this.clock.now());
    this.log.warn({ err: error, scheduledEmailId: id }, 'A scheduled email was not sent; it will be tried again');
    return afterError(sendAt, this.clock.now());
  }

  /** The operator may configure the key again. */
  #unreadable({ sendAt }: ClaimedEmail): Consequence {
    return consequenceOf(new Refusal('deadline_passed', UNREADABLE), sendAt, this.clock.now());
  }
}
