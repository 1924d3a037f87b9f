import { Refusal, type ReplyOf, type RequestOf, removeSecondFactor } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AccountDirectory } from '../users/ports.js';
import { SecondFactors } from './second-factors.js';

/** Lets an operator remove the second factor of a user who has lost it. */
@Handles(removeSecondFactor)
export class RemoveSecondFactor {
  constructor(
    private readonly factors: SecondFactors,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ actor_id, id }: RequestOf<typeof removeSecondFactor>): Promise<ReplyOf<typeof removeSecondFactor>> {
    const actor = await this.accounts.find(actor_id);
    if (!actor?.operator)
      throw new Refusal(
        'not_an_operator',
        'only an operator can turn off the two-factor authentication of another user',
      );
    if (!(await this.accounts.find(id))) throw new Refusal('user_not_found', 'there is no such user');
    await this.factors.remove(id, actor_id);
    return {};
  }
}
