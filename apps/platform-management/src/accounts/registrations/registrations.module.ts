import { Module } from '@nestjs/common';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { AccountTransactionsModule } from '../account-transactions.module.js';
import { UsersModule } from '../users/users.module.js';
import { CreateFirstOperator } from './create-first-operator.js';
import { CreateUser } from './create-user.js';
import { Registrations } from './registrations.js';

/** New users, each with a workspace. */
@Module({
  imports: [AccountTransactionsModule, prisma, UsersModule],
  providers: [CreateFirstOperator, CreateUser, Registrations],
})
export class RegistrationsModule {}
