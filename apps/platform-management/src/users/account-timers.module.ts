import { Module } from '@nestjs/common';
import { LoginLimitsModule } from '../login-limits/login-limits.module.js';
import { PasswordResetsModule } from '../password-resets/password-resets.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AccountTimers } from './account-timers.js';
import { CreateFirstOperator } from './create-first-operator.js';
import { DeleteExpiredLogins } from './delete-expired-logins.js';
import { UsersModule } from './users.module.js';

/** The creation of the first operator at startup, and the deletion of what features of accounts store for a limited time. */
@Module({
  imports: [UsersModule, LoginLimitsModule, SessionsModule, PasswordResetsModule, WorkspacesModule],
  providers: [AccountTimers, CreateFirstOperator, DeleteExpiredLogins],
})
export class AccountTimersModule {}
