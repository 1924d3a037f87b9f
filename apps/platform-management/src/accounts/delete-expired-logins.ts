import { Injectable } from '@nestjs/common';
import { LOGIN_LIMITS } from './login-limit.js';
import { LoginFailures, Sessions } from './ports.js';

/** Sessions that have expired and failures that no longer count are deleted. */
@Injectable()
export class ForgetOldLogins {
  constructor(
    private readonly sessions: Sessions,
    private readonly failures: LoginFailures,
  ) {}

  async run(): Promise<void> {
    await this.sessions.purgeExpired();
    await this.failures.purgeOlderThan(LOGIN_LIMITS.windowS);
  }
}
