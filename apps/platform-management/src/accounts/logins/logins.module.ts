import { Module } from '@nestjs/common';
import { AccountTransactionsModule } from '../account-transactions.module.js';
import { LoginLimitsModule } from '../login-limits/login-limits.module.js';
import { SecondFactorsModule } from '../second-factors/second-factors.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { CreateSession } from './create-session.js';
import { Logins } from './logins.js';
import { SwitchWorkspace } from './switch-workspace.js';

/** Logins, which open sessions in workspaces of the user. */
@Module({
  imports: [AccountTransactionsModule, LoginLimitsModule, SessionsModule, UsersModule, SecondFactorsModule],
  providers: [CreateSession, SwitchWorkspace, Logins],
})
export class LoginsModule {}
