import { Module } from '@nestjs/common';
import { AccountTransactionsModule } from '../account-transactions.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { ChangePassword } from './change-password.js';
import { ConfirmPasswordReset } from './confirm-password-reset.js';
import { IssuePasswordResetToken } from './issue-password-reset-token.js';
import { Passwords } from './passwords.js';
import { RequestPasswordReset } from './request-password-reset.js';

/** New passwords of users, with the present one or with a mailed link. */
@Module({
  imports: [AccountTransactionsModule, UsersModule, SessionsModule],
  providers: [ChangePassword, RequestPasswordReset, IssuePasswordResetToken, ConfirmPasswordReset, Passwords],
})
export class PasswordsModule {}
