import { Controller } from '@nestjs/common';
import { authenticateApiKey, getEmail, type ReplyOf, type RequestOf, sendEmail } from '@postern/contracts';
import { HandlesRequest, onReplyReceived } from '@postern/messaging';
import { AuthenticateApiKey } from '../../commands/authenticate-api-key.js';
import { GetEmail } from '../../commands/get-email.js';
import { SendEmail } from '../../commands/send-email.js';
import { EmailLedger } from '../../ports.js';

/** Messages: the requests behind POST /emails and GET /emails/{id}. */
@Controller()
export class EmailsController {
  constructor(
    private readonly sending: SendEmail,
    private readonly getting: GetEmail,
    private readonly authenticating: AuthenticateApiKey,
    private readonly ledger: EmailLedger,
  ) {}

  @HandlesRequest(sendEmail)
  async send(request: RequestOf<typeof sendEmail>): Promise<ReplyOf<typeof sendEmail>> {
    const reply = await this.sending.execute(request);
    onReplyReceived(() => this.ledger.answerReceived(reply.email.id));
    return reply;
  }

  @HandlesRequest(getEmail)
  get(request: RequestOf<typeof getEmail>): Promise<ReplyOf<typeof getEmail>> {
    return this.getting.execute(request);
  }

  @HandlesRequest(authenticateApiKey)
  authenticate(request: RequestOf<typeof authenticateApiKey>): Promise<ReplyOf<typeof authenticateApiKey>> {
    return this.authenticating.execute(request);
  }
}
