import { type ReplyOf, type RequestOf, renewRecoveryCodes } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { newRecoveryCodes } from './second-factor-secret.js';
import { SecondFactors } from './second-factors.js';
import { TwoFactorReauthentication } from './two-factor-reauthentication.js';

/** Replaces all recovery codes of a user after authentication with password and code. */
@Handles(renewRecoveryCodes)
export class RenewRecoveryCodes {
  constructor(
    private readonly reauthentication: TwoFactorReauthentication,
    private readonly factors: SecondFactors,
  ) {}

  async execute(request: RequestOf<typeof renewRecoveryCodes>): Promise<ReplyOf<typeof renewRecoveryCodes>> {
    const { user_id, password, code } = request;
    await this.reauthentication.withPasswordAndCode(user_id, password, code);
    const { codes, hashes } = newRecoveryCodes();
    await this.factors.renewRecoveryCodes(user_id, hashes);
    return { recovery_codes: [...codes] };
  }
}
