import { Inject, Injectable } from '@nestjs/common';
import {
  cancelScheduledEmailOfService,
  getScheduledEmailOfService,
  listScheduledEmailsOfService,
  type ReplyOf,
  type RequestOf,
  rescheduleEmailOfService,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseClock, type DatabaseTime } from '@postern/service-host';
import { EmailServices } from '../email-services/email-services.projection.js';
import { sendTimeOf } from './scheduled-email.js';
import { ScheduledEmailRepository } from './scheduled-email-repository.js';

/** The scheduled messages of a service on the dashboard. Refuses `service_not_found`. */
@Injectable()
export class ScheduledEmailsOfService {
  constructor(
    private readonly services: EmailServices,
    private readonly scheduled: ScheduledEmailRepository,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {}

  @Handles(listScheduledEmailsOfService)
  async list(request: RequestOf<typeof listScheduledEmailsOfService>) {
    await this.services.get(request);
    return this.scheduled.list(request.service_id, request);
  }

  @Handles(getScheduledEmailOfService)
  async get(request: RequestOf<typeof getScheduledEmailOfService>) {
    await this.services.get(request);
    return this.scheduled.get(request.service_id, request.scheduled_email_id);
  }

  @Handles(rescheduleEmailOfService)
  async reschedule(
    request: RequestOf<typeof rescheduleEmailOfService>,
  ): Promise<ReplyOf<typeof rescheduleEmailOfService>> {
    await this.services.get(request);
    const sendAt = sendTimeOf(request.send_at, this.clock.now());
    return this.scheduled.reschedule(request.service_id, request.scheduled_email_id, sendAt);
  }

  @Handles(cancelScheduledEmailOfService)
  async cancel(request: RequestOf<typeof cancelScheduledEmailOfService>) {
    await this.services.get(request);
    return this.scheduled.cancel(request.service_id, request.scheduled_email_id, this.clock.now());
  }
}
