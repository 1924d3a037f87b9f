import { disableSecondFactor, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { SecondFactors } from './second-factors.js';
import { TwoFactorReauthentication } from './two-factor-reauthentication.js';

/** Turns the second factor off after authentication with password and code. */
@Handles(disableSecondFactor)
export class DisableSecondFactor {
  constructor(
    private readonly reauthentication: TwoFactorReauthentication,
    private readonly factors: SecondFactors,
  ) {}

  async execute(request: RequestOf<typeof disableSecondFactor>): Promise<ReplyOf<typeof disableSecondFactor>> {
    const { user_id, password, code } = request;
    await this.reauthentication.withPasswordAndCode(user_id, password, code);
    await this.factors.remove(user_id, user_id);
    return {};
  }
}
