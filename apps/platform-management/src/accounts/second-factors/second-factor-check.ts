import { Injectable } from '@nestjs/common';
import { hashOfRecoveryCode, stepOf } from './second-factor-secret.js';
import { SecondFactors } from './second-factors.js';

/** `absent`: the user has no second factor. `required`: the user has a second factor, and no code was sent. */
export type SecondFactorAnswer = 'absent' | 'required' | 'right' | 'wrong';

/** Checks time-based codes of authenticators (RFC 6238) and recovery codes. */
@Injectable()
export class SecondFactorCheck {
  constructor(private readonly factors: SecondFactors) {}

  async answer(userId: string, code: string | undefined): Promise<SecondFactorAnswer> {
    const factor = await this.factors.find(userId);
    if (!factor?.confirmed) return 'absent';
    if (code === undefined) return 'required';
    const step = stepOf(factor.secret, code, new Date());
    const isUsed =
      step === undefined
        ? this.factors.useRecoveryCode(userId, hashOfRecoveryCode(code))
        : this.factors.useStep(userId, step);
    return (await isUsed) ? 'right' : 'wrong';
  }
}
