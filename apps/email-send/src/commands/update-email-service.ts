import { Injectable } from '@nestjs/common';
import type { RequestOf, updateEmailService } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { emailService, emailServiceStream } from '../domain/email-service.js';

import { ownedEmailService } from './owned-email-service.js';

/** Renames a service or turns its switches; a change that changes nothing leaves no event. */
@Injectable()
export class UpdateEmailService {
  constructor(private readonly streams: Streams) {}

  async execute({ workspace_id, service_id, changes }: RequestOf<typeof updateEmailService>): Promise<void> {
    await ownedEmailService(this.streams, { workspace_id, service_id });
    await this.streams.execute(emailService, emailServiceStream(service_id), {
      kind: 'change',
      changes,
      at: new Date().toISOString(),
    });
  }
}
