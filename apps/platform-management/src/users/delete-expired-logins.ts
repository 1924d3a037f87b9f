import { Injectable } from '@nestjs/common';
import { Every } from '@postern/service-host';
import { LOGIN_LIMITS } from '../login-limits/login-limit.js';
import { LoginFailures } from '../login-limits/ports.js';
import { PasswordResets } from '../password-resets/ports.js';
import { Sessions } from '../sessions/ports.js';
import { WorkspaceRepository } from '../workspaces/ports.js';

/** Deletes expired sessions, and old login failures, password reset requests and invitations that no limit counts. */
@Injectable()
export class DeleteExpiredLogins {
  constructor(
    private readonly sessions: Sessions,
    private readonly failures: LoginFailures,
    private readonly resets: PasswordResets,
    private readonly workspaces: WorkspaceRepository,
  ) {}

  @Every(10 * 60_000, 'delete expired logins')
  async run(): Promise<void> {
    await this.sessions.deleteExpired();
    await this.failures.deleteOlderThan(LOGIN_LIMITS.windowS);
    await this.resets.deleteOld();
    await this.workspaces.deleteOldInvitations();
  }
}
