import { Module } from '@nestjs/common';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { AccountTransactionsModule } from '../account-transactions.module.js';
import { LoginLimitsModule } from '../login-limits/login-limits.module.js';
import { LoginGuard } from '../login-limits/ports.js';
import { Argon2PasswordHasher } from './argon2-password-hasher.js';
import { ChangeMe } from './change-me.js';
import { GetMe } from './get-me.js';
import { ListUsers } from './list-users.js';
import { NewPasswords } from './new-passwords.js';
import { AccountDirectory, PasswordHasher, PasswordRules, UserRepository } from './ports.js';
import { PostgresUserRepository } from './postgres-user-repository.js';
import { Reauthentication } from './reauthentication.js';
import { SetUserEnabled } from './set-user-enabled.js';
import { Users } from './users.projection.js';
import { ZxcvbnPasswordRules } from './zxcvbn-password-rules.js';

/** Users and their passwords. */
@Module({
  imports: [AccountTransactionsModule, prisma, LoginLimitsModule],
  providers: [
    ListUsers,
    SetUserEnabled,
    GetMe,
    ChangeMe,
    { provide: AccountDirectory, useClass: Users },
    { provide: UserRepository, useClass: PostgresUserRepository },
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
    { provide: PasswordRules, useClass: ZxcvbnPasswordRules },
    {
      provide: NewPasswords,
      inject: [PasswordRules, PasswordHasher],
      useFactory: (rules: PasswordRules, hasher: PasswordHasher) => new NewPasswords(rules, hasher),
    },
    {
      provide: Reauthentication,
      inject: [LoginGuard, UserRepository, AccountDirectory, PasswordHasher],
      useFactory: (guard: LoginGuard, users: UserRepository, accounts: AccountDirectory, passwords: PasswordHasher) =>
        new Reauthentication(guard, users, accounts, passwords),
    },
  ],
  exports: [AccountDirectory, UserRepository, PasswordHasher, NewPasswords, Reauthentication],
})
export class UsersModule {}
