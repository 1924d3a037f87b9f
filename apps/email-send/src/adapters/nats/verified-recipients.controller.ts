import { Controller } from '@nestjs/common';
import {
  addVerifiedRecipient,
  listVerifiedRecipients,
  preAddRecipient,
  type ReplyOf,
  type RequestOf,
  removeVerifiedRecipient,
  verifyRecipient,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { AddVerifiedRecipient } from '../../commands/add-verified-recipient.js';
import { PreAddRecipient } from '../../commands/pre-add-recipient.js';
import { RemoveVerifiedRecipient } from '../../commands/remove-verified-recipient.js';
import { VerifyRecipient } from '../../commands/verify-recipient.js';
import { VerifiedRecipients } from '../../projections/verified-recipients.js';

/** Who may receive the sandbox mail of an email service. */
@Controller()
export class VerifiedRecipientsController {
  constructor(
    private readonly recipients: VerifiedRecipients,
    private readonly adding: AddVerifiedRecipient,
    private readonly preAdding: PreAddRecipient,
    private readonly verifying: VerifyRecipient,
    private readonly removing: RemoveVerifiedRecipient,
  ) {}

  @HandlesRequest(addVerifiedRecipient)
  async add(request: RequestOf<typeof addVerifiedRecipient>): Promise<ReplyOf<typeof addVerifiedRecipient>> {
    const recipient_id = await this.adding.execute(request);
    return this.recipients.get({ ...request, recipient_id });
  }

  @HandlesRequest(preAddRecipient)
  async preAdd(request: RequestOf<typeof preAddRecipient>): Promise<ReplyOf<typeof preAddRecipient>> {
    const recipient_id = await this.preAdding.execute(request);
    return this.recipients.get({ ...request, recipient_id });
  }

  @HandlesRequest(verifyRecipient)
  async verify(request: RequestOf<typeof verifyRecipient>): Promise<ReplyOf<typeof verifyRecipient>> {
    await this.verifying.execute(request);
    return this.recipients.get(request);
  }

  @HandlesRequest(listVerifiedRecipients)
  list(request: RequestOf<typeof listVerifiedRecipients>): Promise<ReplyOf<typeof listVerifiedRecipients>> {
    return this.recipients.ofService(request);
  }

  @HandlesRequest(removeVerifiedRecipient)
  async remove(request: RequestOf<typeof removeVerifiedRecipient>): Promise<ReplyOf<typeof removeVerifiedRecipient>> {
    await this.removing.execute(request);
    return {};
  }
}
