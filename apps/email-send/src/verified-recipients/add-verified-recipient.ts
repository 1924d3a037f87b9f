import { addVerifiedRecipient, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { v5 as uuidv5 } from 'uuid';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { CodeMailer } from './code-mailer.js';
import { VerificationCodes } from './verification-codes.js';
import { normalizeRecipient, verifiedRecipient, verifiedRecipientStream } from './verified-recipient.js';
import { VerifiedRecipients } from './verified-recipients.projection.js';

/**
 * Mails a verification code to the address, or a new code if one is pending. The mail is sent first, so that a failure of
 * the relays changes nothing and the client can retry.
 */
@Handles(addVerifiedRecipient)
export class AddVerifiedRecipient {
  constructor(
    private readonly streams: Streams,
    private readonly codes: VerificationCodes,
    private readonly mailer: CodeMailer,
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
    await this.mailer.send({ address, code, serviceId, workspaceId: request.workspace_id, name: service.name, at });
    await this.streams.execute(verifiedRecipient, stream, command);
    return this.recipients.get({ ...request, recipient_id: recipientId });
  }
}
