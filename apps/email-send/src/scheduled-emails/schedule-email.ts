import { Inject } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, scheduleEmail } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseClock, type DatabaseTime } from '@postern/service-host';
import type { Sender } from '../api-keys/ports.js';
import { CompleteEmail, type EmailWithTemplate } from '../emails/complete-email.js';
import { draftEmail } from '../emails/email-draft.js';
import { SendEmail } from '../emails/send-email.js';
import { publicShape } from './public-shape.js';
import { sendTimeOf } from './scheduled-email.js';
import { ScheduledEmailRepository } from './scheduled-email-repository.js';

/** POST /scheduled-emails: checks a message as if it were sent now, and stores it for its time. */
@Handles(scheduleEmail)
export class ScheduleEmail {
  constructor(
    private readonly emails: SendEmail,
    private readonly completion: CompleteEmail,
    private readonly scheduled: ScheduledEmailRepository,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {}

  async execute(request: RequestOf<typeof scheduleEmail>): Promise<ReplyOf<typeof scheduleEmail>> {
    const { api_key_hash: keyHash, scheduled_email_id: id, send_at } = request;
    const sender = await this.emails.senderOf(keyHash);
    const at = this.clock.now();
    const sendAt = sendTimeOf(send_at, at);
    const { email, draft } = await this.#checked(request.email, sender);
    await this.scheduled.add({ id, serviceId: sender.serviceId, keyHash, sendAt, at, email, draft });
    return publicShape(await this.scheduled.get(sender.serviceId, id));
  }

  /** Errors name the fields of the message inside of `email`. */
  async #checked(given: EmailWithTemplate, sender: Sender) {
    try {
      // A template is rendered now: its later versions do not change what was scheduled.
      const email = await this.completion.complete(sender.serviceId, given);
      const { draft } = await this.emails.checkedOf({ draft: () => draftEmail(email) }, sender);
      return { email, draft };
    } catch (error) {
      if (Refusal.is(error) && error.code === 'invalid_email')
        throw new Refusal(error.code, `email.${error.message}`, error.details);
      throw error;
    }
  }
}
