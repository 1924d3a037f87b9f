import { Module } from '@nestjs/common';
import { AccountTransactionsModule } from '../infrastructure/postgres/account-transactions.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { ConfirmPasswordReset } from './confirm-password-reset.js';
import { IssuePasswordResetToken } from './issue-password-reset-token.js';
import { PasswordResets } from './ports.js';
import { PostgresPasswordResets } from './postgres-password-resets.js';
import { RequestPasswordReset } from './request-password-reset.js';

/** New passwords of users who have forgotten theirs, with a mailed link. */
@Module({
  imports: [AccountTransactionsModule, UsersModule, SessionsModule],
  providers: [
    RequestPasswordReset,
    IssuePasswordResetToken,
    ConfirmPasswordReset,
    { provide: PasswordResets, useClass: PostgresPasswordResets },
  ],
  exports: [PasswordResets],
})
export class PasswordResetsModule {}
