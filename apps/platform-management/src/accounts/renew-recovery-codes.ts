import { type ReplyOf, type RequestOf, renewRecoveryCodes } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AccountProof } from './account-proof.js';
import { SecondFactors } from './ports.js';
import { newRecoveryCodes } from './second-factor-secret.js';

/** Replaces all recovery codes of a user after authentication with password and code. */
@Handles(renewRecoveryCodes)
export class RenewRecoveryCodes {
  constructor(
    private readonly proof: AccountProof,
    private readonly factors: SecondFactors,
  ) {}

  async execute(request: RequestOf<typeof renewRecoveryCodes>): Promise<ReplyOf<typeof renewRecoveryCodes>> {
    const { id } = await this.proof.ofPasswordAndCode(request.user_id, request.password, request.code);
    const { codes, hashes } = newRecoveryCodes();
    await this.factors.renewRecoveryCodes(id, hashes);
    return { recovery_codes: [...codes] };
  }
}
