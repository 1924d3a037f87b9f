import { Injectable } from '@nestjs/common';
import type { addVerifiedRecipient, RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v5 as uuidv5 } from 'uuid';
import { normalizeRecipient, verifiedRecipient, verifiedRecipientStream } from '../domain/verified-recipient.js';
import { RecipientCodes, SystemMail } from '../ports.js';
import { ownedEmailService } from './owned-email-service.js';

/**
 * Mails a code to the address, or a new one where one is awaited already. The mail goes out first: where no relay
 * takes it nothing has happened, and the caller may simply try again.
 */
@Injectable()
export class AddVerifiedRecipient {
  constructor(
    private readonly streams: Streams,
    private readonly codes: RecipientCodes,
    private readonly mail: SystemMail,
  ) {}

  async execute(request: RequestOf<typeof addVerifiedRecipient>): Promise<string> {
    const { service_id: serviceId } = request;
    const service = await ownedEmailService(this.streams, request);
    const address = normalizeRecipient(request.address);
    // One stream per service and address: an address is on the list once, and its allowance outlives a removal.
    const recipientId = uuidv5(address, serviceId);
    const stream = verifiedRecipientStream(recipientId);
    const code = this.codes.newCode();
    const at = new Date();
    const command = {
      kind: 'send-code',
      serviceId,
      recipientId,
      address,
      codeHash: this.codes.hashesOf(recipientId, code)[0],
      at: at.toISOString(),
    } as const;
    verifiedRecipient.decide(command, await this.streams.stateOf(verifiedRecipient, stream));
    await this.codes.take(serviceId, at);
    try {
      await this.mail.send(address, `${code} is your verification code`, codeMail(code, service.name));
    } catch (error) {
      await this.codes.giveBack(serviceId, at);
      throw error;
    }
    await this.streams.execute(verifiedRecipient, stream, command);
    return recipientId;
  }
}

const codeMail = (code: string, serviceName: string): string =>
  [
    `Your verification code is ${code}.`,
    '',
    `Enter it on the dashboard to let the email service "${serviceName}" send its sandbox mail to this address.`,
    'The code is valid for 24 hours. If you did not expect it, ignore this message: without the code nothing happens.',
    '',
  ].join('\n');
