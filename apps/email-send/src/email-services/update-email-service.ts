import { type ReplyOf, type RequestOf, updateEmailService } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { emailService, emailServiceStream } from './email-service.js';
import { EmailServices } from './email-services.projection.js';
import { ownedEmailService } from './owned-email-service.js';

/** Renames an email service or changes its switches. Unchanged values produce no event. */
@Handles(updateEmailService)
export class UpdateEmailService {
  constructor(
    private readonly streams: Streams,
    private readonly services: EmailServices,
  ) {}

  async execute(request: RequestOf<typeof updateEmailService>): Promise<ReplyOf<typeof updateEmailService>> {
    await ownedEmailService(this.streams, request);
    await this.streams.execute(emailService, emailServiceStream(request.service_id), {
      kind: 'change',
      changes: request.changes,
      at: new Date().toISOString(),
    });
    return this.services.get(request);
  }
}
