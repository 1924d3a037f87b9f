import { Inject, Injectable } from '@nestjs/common';
import {
  cancelScheduledEmail,
  getScheduledEmail,
  listScheduledEmails,
  type ReplyOf,
  type RequestOf,
  rescheduleEmail,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseClock, type DatabaseTime } from '@postern/service-host';
import { authenticated, SenderDirectory } from '../api-keys/ports.js';
import { publicShape } from './public-shape.js';
import { sendTimeOf } from './scheduled-email.js';
import { ScheduledEmailRepository } from './scheduled-email-repository.js';

/** The scheduled messages of the service of an API key. */
@Injectable()
export class ScheduledEmails {
  constructor(
    private readonly senders: SenderDirectory,
    private readonly scheduled: ScheduledEmailRepository,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {}

  @Handles(listScheduledEmails)
  async list({ api_key_hash, ...filter }: RequestOf<typeof listScheduledEmails>) {
    const { serviceId } = await authenticated(this.senders, api_key_hash);
    const { items, ...page } = await this.scheduled.list(serviceId, filter);
    return { items: items.map(publicShape), ...page };
  }

  @Handles(getScheduledEmail)
  async get(request: RequestOf<typeof getScheduledEmail>): Promise<ReplyOf<typeof getScheduledEmail>> {
    const { serviceId } = await authenticated(this.senders, request.api_key_hash);
    return publicShape(await this.scheduled.get(serviceId, request.scheduled_email_id));
  }

  @Handles(rescheduleEmail)
  async reschedule(request: RequestOf<typeof rescheduleEmail>): Promise<ReplyOf<typeof rescheduleEmail>> {
    const { serviceId } = await authenticated(this.senders, request.api_key_hash);
    const sendAt = sendTimeOf(request.send_at, this.clock.now());
    return publicShape(await this.scheduled.reschedule(serviceId, request.scheduled_email_id, sendAt));
  }

  @Handles(cancelScheduledEmail)
  async cancel(request: RequestOf<typeof cancelScheduledEmail>): Promise<ReplyOf<typeof cancelScheduledEmail>> {
    const { serviceId } = await authenticated(this.senders, request.api_key_hash);
    return publicShape(await this.scheduled.cancel(serviceId, request.scheduled_email_id, this.clock.now()));
  }
}
