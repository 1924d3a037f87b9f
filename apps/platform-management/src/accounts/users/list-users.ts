import { listUsers, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { accountReply } from './account-reply.js';
import { AccountDirectory } from './ports.js';

/** Lists all users for an operator, newest first. */
@Handles(listUsers)
export class ListUsers {
  constructor(private readonly accounts: AccountDirectory) {}

  async execute({ actor_id, search, limit, offset }: RequestOf<typeof listUsers>): Promise<ReplyOf<typeof listUsers>> {
    const actor = await this.accounts.find(actor_id);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can list users');
    const { total, accounts } = await this.accounts.list(search, limit, offset);
    const items = accounts.map(account => ({
      ...accountReply(account),
      enabled: account.enabled,
      second_factor: account.secondFactor,
    }));
    return { items, total, limit, offset };
  }
}
