import { Injectable } from '@nestjs/common';
import { type createUser, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { accountReply } from '../domain/account-reply.js';
import { AccountDirectory, PasswordHasher, UserRegistry } from '../ports.js';

const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/;

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
    return accountReply(await this.register(request));
  }

  /** Without asking who acts: for the first operator, whom nobody can have created. */
  async register({ email, password, operator, workspace_name }: Omit<RequestOf<typeof createUser>, 'actor_id'>) {
    const address = email.trim().toLowerCase();
    if (!ADDRESS.test(address)) throw new Refusal('invalid_input', `email: "${email}" is no e-mail address`);
    const userId = uuidv7();
    await this.users.register({
      userId,
      email: address,
      passwordHash: await this.passwords.hash(password),
      operator,
      workspace: { id: uuidv7(), name: workspace_name ?? `${address}'s workspace` },
    });
    const account = await this.accounts.find(userId);
    if (!account) throw new Error(`user ${userId} was registered and is not in the directory`);
    return account;
  }
}
