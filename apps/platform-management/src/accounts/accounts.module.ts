import { Module } from '@nestjs/common';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { AccountTimers } from './account-timers.js';
import { Accounts } from './accounts.projection.js';
import { Argon2PasswordHasher } from './argon2-password-hasher.js';
import { AuthenticateSession } from './authenticate-session.js';
import { ChangePassword } from './change-password.js';
import { CreateFirstOperator } from './create-first-operator.js';
import { CreateSession } from './create-session.js';
import { CreateUser } from './create-user.js';
import { CreateWorkspace } from './create-workspace.js';
import { DeleteExpiredLogins } from './delete-expired-logins.js';
import { DeviceTokens } from './device-tokens.js';
import { EndSession } from './end-session.js';
import { GetMe } from './get-me.js';
import { LoginGuard } from './login-guard.js';
import { AccountDirectory, LoginFailures, PasswordHasher, PasswordRules, Sessions, UserRepository } from './ports.js';
import { PostgresLoginFailures } from './postgres-login-failures.js';
import { PostgresSessions } from './postgres-sessions.js';
import { PostgresUserRepository } from './postgres-user-repository.js';
import { SwitchWorkspace } from './switch-workspace.js';
import { ZxcvbnPasswordRules } from './zxcvbn-password-rules.js';

/** Users, their workspaces, and their sessions. */
@Module({
  imports: [eventSourcing, prisma, EncryptionModule],
  providers: [
    CreateUser,
    CreateWorkspace,
    ChangePassword,
    GetMe,
    CreateSession,
    AuthenticateSession,
    SwitchWorkspace,
    EndSession,
    CreateFirstOperator,
    DeleteExpiredLogins,
    AccountTimers,
    LoginGuard,
    DeviceTokens,
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
    { provide: PasswordRules, useClass: ZxcvbnPasswordRules },
    { provide: AccountDirectory, useClass: Accounts },
    { provide: UserRepository, useClass: PostgresUserRepository },
    { provide: Sessions, useClass: PostgresSessions },
    { provide: LoginFailures, useClass: PostgresLoginFailures },
  ],
  exports: [AccountDirectory],
})
export class AccountsModule {}
