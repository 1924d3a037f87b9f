import { Injectable } from '@nestjs/common';
import { type createUser, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { accountReply } from './account-reply.js';
import { newUser } from './new-user.js';
import { AccountDirectory, PasswordHasher, UserRegistry } from './ports.js';

/** An operator makes a user, who gets a workspace of their own. Refuses an address that is taken. */
@Injectable()
export class CreateUser {
  constructor(
    private readonly users: UserRegistry,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
  ) {}

  async execute(request: RequestOf<typeof createUser>): Promise<ReplyOf<typeof createUser>> {
    const actor = await this.accounts.find(request.actor_id);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator may create users');
    const user = await newUser(this.passwords, request);
    await this.users.register(user);
    const account = await this.accounts.find(user.userId);
    if (!account) throw new Error(`user ${user.userId} was registered and is not in the directory`);
    return accountReply(account);
  }
}
