import { getSecondFactor, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { SecondFactors } from './second-factors.js';

/** Returns whether a user has a second factor, and the number of unused recovery codes. */
@Handles(getSecondFactor)
export class GetSecondFactor {
  constructor(private readonly factors: SecondFactors) {}

  async execute({ user_id }: RequestOf<typeof getSecondFactor>): Promise<ReplyOf<typeof getSecondFactor>> {
    const factor = await this.factors.find(user_id);
    const enabled = factor?.confirmed ?? false;
    return { enabled, recovery_codes_left: enabled ? (factor?.recoveryCodes ?? 0) : 0 };
  }
}
