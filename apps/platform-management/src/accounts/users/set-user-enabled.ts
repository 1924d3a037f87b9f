import { Refusal, type ReplyOf, type RequestOf, setUserEnabled } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { accountReply } from './account-reply.js';
import { AccountDirectory } from './ports.js';
import { UserRepository } from './user-repository.js';

/** Lets an operator disable a user, whose sessions end and whose keys stop working at once, or enable the user again. */
@Handles(setUserEnabled)
export class SetUserEnabled {
  constructor(
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(request: RequestOf<typeof setUserEnabled>): Promise<ReplyOf<typeof setUserEnabled>> {
    const { actor_id: actorId, id: userId, enabled } = request;
    const actor = await this.accounts.find(actorId);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can enable and disable users');
    const account = await this.accounts.find(userId);
    if (!account) throw new Refusal('user_not_found', 'there is no such user');
    await this.users.setEnabled(userId, enabled, actorId);
    return { ...accountReply(account), enabled, second_factor: await this.accounts.hasSecondFactor(userId) };
  }
}
