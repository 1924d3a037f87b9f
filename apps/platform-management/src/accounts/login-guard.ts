import { Injectable } from '@nestjs/common';
import { LOGIN_LIMITS, tooManyAttempts } from './login-limit.js';
import { LoginFailures } from './ports.js';

/** Limits password guessing. */
@Injectable()
export class LoginGuard {
  constructor(private readonly failures: LoginFailures) {}

  /**
   * Records the attempt as failed, then runs `verify`; a result clears the account's failures.
   * @throws the refusal `too_many_attempts` without running `verify`.
   */
  async attempt<Proof>(
    email: string,
    ip: string,
    verify: () => Promise<Proof | undefined>,
  ): Promise<Proof | undefined> {
    if (!(await this.failures.recordAttempt(email, ip, LOGIN_LIMITS))) throw tooManyAttempts();
    const proof = await verify();
    if (proof !== undefined) await this.failures.clear(email);
    return proof;
  }
}
