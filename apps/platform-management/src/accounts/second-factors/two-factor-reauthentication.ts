import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { LoginGuard } from '../login-limits/login-guard.js';
import { Reauthentication } from '../users/reauthentication.js';
import { SecondFactorCheck } from './second-factor-check.js';

/** Re-authenticates signed-in users with password and code. */
@Injectable()
export class TwoFactorReauthentication {
  constructor(
    private readonly guard: LoginGuard,
    private readonly reauthentication: Reauthentication,
    private readonly secondFactor: SecondFactorCheck,
  ) {}

  /**
   * Limits codes separately, so that a correct password permits no more codes.
   * @throws the refusals `credentials_wrong`, `too_many_attempts` and `second_factor_not_enabled`.
   */
  async withPasswordAndCode(userId: string, password: string, code: string): Promise<void> {
    await this.reauthentication.withPassword(userId, password);
    const isRight = await this.guard.attemptInSession(userId, async () => {
      const answer = await this.secondFactor.answer(userId, code);
      if (answer === 'absent') throw new Refusal('second_factor_not_enabled', 'two-factor authentication is off');
      return answer === 'right' ? true : undefined;
    });
    if (!isRight) throw new Refusal('credentials_wrong', 'incorrect or already used code; wait for the next one');
  }
}
