import { Module } from '@nestjs/common';
import { LoginLimitsModule } from '../login-limits/login-limits.module.js';
import { PasswordResetsModule } from '../password-resets/password-resets.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { DeleteExpiredLogins } from './delete-expired-logins.js';

/** Deletes what the features of accounts store for a limited time. */
@Module({
  imports: [LoginLimitsModule, SessionsModule, PasswordResetsModule, WorkspacesModule],
  providers: [DeleteExpiredLogins],
})
export class ExpiredLoginsModule {}
