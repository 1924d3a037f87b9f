import { Injectable } from '@nestjs/common';
import { type SecondFactorAnswer, SecondFactorCheck, SecondFactors } from './ports.js';
import { hashOfRecoveryCode, stepOf } from './second-factor-secret.js';

/** Checks time-based codes of authenticators (RFC 6238) and recovery codes. */
@Injectable()
export class TotpSecondFactorCheck extends SecondFactorCheck {
  constructor(private readonly factors: SecondFactors) {
    super();
  }

  override async answer(userId: string, code: string | undefined): Promise<SecondFactorAnswer> {
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
