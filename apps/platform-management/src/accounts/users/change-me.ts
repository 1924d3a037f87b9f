import { changeMe, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { findMe } from './get-me.js';
import { AccountDirectory } from './ports.js';
import { UserRepository } from './user-repository.js';

/** Lets users turn mail about failures in their own workspaces on or off. */
@Handles(changeMe)
export class ChangeMe {
  constructor(
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(request: RequestOf<typeof changeMe>): Promise<ReplyOf<typeof changeMe>> {
    await this.users.setServiceMails(request.user_id, request.service_mails);
    return findMe(this.accounts, request);
  }
}
