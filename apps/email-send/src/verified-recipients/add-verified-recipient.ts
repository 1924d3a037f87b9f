import { addVerifiedRecipient, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { v5 as uuidv5 } from 'uuid';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { SystemMail } from '../system-mail/ports.js';
import { VerificationCodes } from './ports.js';
import { normalizeRecipient, verifiedRecipient, verifiedRecipientStream } from './verified-recipient.js';
import { VerifiedRecipients } from './verified-recipients.projection.js';

/**
 * Mails a verification code to the address, or a new code to one that waits for it. The mail is sent first, so that a
 * failure of the relays changes nothing and the client can retry.
 */
@Handles(addVerifiedRecipient)
export class AddVerifiedRecipient {
  constructor(
    private readonly streams: Streams,
    private readonly codes: VerificationCodes,
    private readonly mail: SystemMail,
    private readonly recipients: VerifiedRecipients,
  ) {}

  async execute(request: RequestOf<typeof addVerifiedRecipient>): Promise<ReplyOf<typeof addVerifiedRecipient>> {
    const { service_id: serviceId } = request;
    const service = await ownedEmailService(this.streams, request);
    const address = normalizeRecipient(request.address);
    // One stream per service and address: each address is listed once, and its code limit survives a removal.
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
    await this.codes.reserve(serviceId, at);
    try {
      await this.mail.send(address, `${code} is your verification code`, codeMail(code, service.name));
    } catch (error) {
      await this.codes.release(serviceId, at);
      throw error;
    }
    await this.streams.execute(verifiedRecipient, stream, command);
    return this.recipients.get({ ...request, recipient_id: recipientId });
  }
}

const codeMail = (code: string, serviceName: string): string =>
  [
    `Your verification code is ${code}.`,
    '',
    `Enter it on the dashboard to let the email service "${serviceName}" send its sandbox mail to this address.`,
    'The code is valid for 24 hours. If you did not expect it, ignore this message.',
    '',
  ].join('\n');
