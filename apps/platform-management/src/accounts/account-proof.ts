import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { LoginGuard } from './login-guard.js';
import { type Account, AccountDirectory, PasswordHasher, UserRepository } from './ports.js';
import { SecondFactorCheck } from './second-factor-check.js';

/** Re-authenticates signed-in users. Limits failed attempts separately from failed logins. */
@Injectable()
export class AccountProof {
  constructor(
    private readonly guard: LoginGuard,
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly secondFactor: SecondFactorCheck,
  ) {}

  /** @throws the refusals `credentials_wrong` and `too_many_attempts`. */
  async ofPassword(userId: string, password: string): Promise<Account> {
    const account = await this.accounts.find(userId);
    const proved =
      account &&
      (await this.guard.attemptInSession(account.email, async () => {
        const known = await this.users.passwordHashOf(userId);
        return (await this.passwords.verify(known, password)) ? account : undefined;
      }));
    if (!proved) throw new Refusal('credentials_wrong', 'incorrect password');
    return proved;
  }

  /** Limits codes separately, so that a correct password permits no more codes. @throws also `second_factor_not_enabled`. */
  async ofPasswordAndCode(userId: string, password: string, code: string): Promise<Account> {
    const account = await this.ofPassword(userId, password);
    const proved = await this.guard.attemptInSession(userId, async () => {
      const answer = await this.secondFactor.answer(userId, code);
      if (answer === 'absent') throw new Refusal('second_factor_not_enabled', 'two-factor authentication is off');
      return answer === 'right' ? account : undefined;
    });
    if (!proved) throw new Refusal('credentials_wrong', 'incorrect or already used code; wait for the next one');
    return proved;
  }
}
