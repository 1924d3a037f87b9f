import { createUser, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { accountReply } from '../users/account-reply.js';
import { NewPasswords } from '../users/new-passwords.js';
import { AccountDirectory } from '../users/ports.js';
import { newUser } from './new-user.js';
import { Registrations } from './registrations.js';

/** Lets an operator create a user with a workspace. Refuses an address that is in use. */
@Handles(createUser)
export class CreateUser {
  constructor(
    private readonly registrations: Registrations,
    private readonly accounts: AccountDirectory,
    private readonly passwords: NewPasswords,
  ) {}

  async execute(request: RequestOf<typeof createUser>): Promise<ReplyOf<typeof createUser>> {
    const actor = await this.accounts.find(request.actor_id);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can create users');
    const user = await newUser(this.passwords, request);
    await this.registrations.register(user);
    const account = await this.accounts.find(user.userId);
    if (!account) throw new Error(`user ${user.userId} was registered and is not in the directory`);
    return accountReply(account);
  }
}
