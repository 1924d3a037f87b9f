import { disableSecondFactor, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AccountProof } from './account-proof.js';
import { SecondFactors } from './ports.js';

/** Turns the second factor off after authentication with password and code. */
@Handles(disableSecondFactor)
export class DisableSecondFactor {
  constructor(
    private readonly proof: AccountProof,
    private readonly factors: SecondFactors,
  ) {}

  async execute(request: RequestOf<typeof disableSecondFactor>): Promise<ReplyOf<typeof disableSecondFactor>> {
    const { id } = await this.proof.ofPasswordAndCode(request.user_id, request.password, request.code);
    await this.factors.remove(id, id);
    return {};
  }
}
