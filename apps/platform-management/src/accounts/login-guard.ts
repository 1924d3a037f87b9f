import { Injectable } from '@nestjs/common';
import { LOGIN_LIMITS, tooManyAttempts } from './login-limit.js';
import { LoginFailures } from './ports.js';

/** Stands before every look at a password. */
@Injectable()
export class LoginGuard {
  constructor(private readonly failures: LoginFailures) {}

  /**
   * Counts the attempt, then makes it; one that yields something clears the account's failures.
   * Throws the refusal `too_many_attempts` without having looked at the password.
   */
  async attempt<Proof>(email: string, ip: string, prove: () => Promise<Proof | undefined>): Promise<Proof | undefined> {
    if (!(await this.failures.begin(email, ip, LOGIN_LIMITS))) throw tooManyAttempts();
    const proof = await prove();
    if (proof !== undefined) await this.failures.forgive(email);
    return proof;
  }
}
