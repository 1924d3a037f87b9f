import { Injectable } from '@nestjs/common';
import { type createEmailService, Refusal, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { MailboxError, parseMailbox } from '@postern/mail';
import { v7 as uuidv7 } from 'uuid';
import { emailService, emailServiceStream } from '../domain/email-service.js';

/** Every new service starts in the sandbox. Answers its id. */
@Injectable()
export class CreateEmailService {
  constructor(private readonly streams: Streams) {}

  async execute({ workspace_id, name, owner_email }: RequestOf<typeof createEmailService>): Promise<string> {
    const serviceId = uuidv7();
    await this.streams.execute(emailService, emailServiceStream(serviceId), {
      kind: 'create',
      serviceId,
      workspaceId: workspace_id,
      name,
      ownerEmail: owner_email === undefined ? undefined : readAddress(owner_email),
      at: new Date().toISOString(),
    });
    return serviceId;
  }
}

function readAddress(text: string): string {
  try {
    return parseMailbox(text).address;
  } catch (error) {
    if (error instanceof MailboxError) throw new Refusal('invalid_input', `owner_email: ${error.message}`);
    throw error;
  }
}
