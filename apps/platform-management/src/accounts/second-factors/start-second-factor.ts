import { Refusal, type ReplyOf, type RequestOf, startSecondFactor } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Reauthentication } from '../users/reauthentication.js';
import { newSecret, uriOf } from './second-factor-secret.js';
import { SecondFactors } from './second-factors.js';

/** Generates a secret after verifying the password. The second factor takes effect when it is confirmed. */
@Handles(startSecondFactor)
export class StartSecondFactor {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly factors: SecondFactors,
  ) {}

  async execute({
    user_id,
    password,
  }: RequestOf<typeof startSecondFactor>): Promise<ReplyOf<typeof startSecondFactor>> {
    const { account } = await this.reauthentication.withPassword(user_id, password);
    const secret = newSecret();
    if (!(await this.factors.start(user_id, secret)))
      throw new Refusal('second_factor_enabled', 'two-factor authentication is already on; turn it off first');
    return { secret, uri: uriOf(secret, account.email) };
  }
}
