import { Module } from '@nestjs/common';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { AccountTransactionsModule } from '../account-transactions.module.js';
import { LoginLimitsModule } from '../login-limits/login-limits.module.js';
import { ChangeMe } from './change-me.js';
import { GetMe } from './get-me.js';
import { ListUsers } from './list-users.js';
import { NewPasswords } from './new-passwords.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordRules } from './password-rules.js';
import { AccountDirectory } from './ports.js';
import { Reauthentication } from './reauthentication.js';
import { SetUserEnabled } from './set-user-enabled.js';
import { UserRepository } from './user-repository.js';
import { Users } from './users.projection.js';

/** Users and their passwords. */
@Module({
  imports: [AccountTransactionsModule, prisma, LoginLimitsModule],
  providers: [
    ListUsers,
    SetUserEnabled,
    GetMe,
    ChangeMe,
    { provide: AccountDirectory, useClass: Users },
    UserRepository,
    PasswordHasher,
    PasswordRules,
    NewPasswords,
    Reauthentication,
  ],
  exports: [AccountDirectory, UserRepository, PasswordHasher, NewPasswords, Reauthentication],
})
export class UsersModule {}
