import { Injectable } from '@nestjs/common';
import { LOGIN_LIMITS } from './login-limit.js';
import { LoginFailures, Sessions } from './ports.js';

/** Deletes expired sessions and login failures that no longer count. */
@Injectable()
export class DeleteExpiredLogins {
  constructor(
    private readonly sessions: Sessions,
    private readonly failures: LoginFailures,
  ) {}

  async run(): Promise<void> {
    await this.sessions.deleteExpired();
    await this.failures.deleteOlderThan(LOGIN_LIMITS.windowS);
  }
}
