import { Controller } from '@nestjs/common';
import { authenticateApiKey, getEmail, type ReplyOf, type RequestOf, sendEmail } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { AuthenticateApiKey } from '../../commands/authenticate-api-key.js';
import { GetEmail } from '../../commands/get-email.js';
import { SendEmail } from '../../commands/send-email.js';

/** Messages: the requests behind POST /emails and GET /emails/{id}. */
@Controller()
export class EmailsController {
  constructor(
    private readonly sending: SendEmail,
    private readonly getting: GetEmail,
    private readonly authenticating: AuthenticateApiKey,
  ) {}

  @HandlesRequest(sendEmail)
  send(request: RequestOf<typeof sendEmail>): Promise<ReplyOf<typeof sendEmail>> {
    return this.sending.execute(request);
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
