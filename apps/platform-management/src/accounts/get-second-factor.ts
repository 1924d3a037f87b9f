import { getSecondFactor, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { SecondFactors } from './ports.js';

/** Tells a user whether they have a second factor, and how many recovery codes are left. */
@Handles(getSecondFactor)
export class GetSecondFactor {
  constructor(private readonly factors: SecondFactors) {}

  async execute({ user_id }: RequestOf<typeof getSecondFactor>): Promise<ReplyOf<typeof getSecondFactor>> {
    const factor = await this.factors.find(user_id);
    const enabled = factor?.confirmed ?? false;
    return { enabled, recovery_codes_left: enabled ? (factor?.recoveryCodes ?? 0) : 0 };
  }
}
