import { Module } from '@nestjs/common';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { AcceptInvitation } from './accept-invitation.js';
import { AccountProof } from './account-proof.js';
import { AccountTimers } from './account-timers.js';
import { AccountTransactions } from './account-transactions.js';
import { Accounts } from './accounts.projection.js';
import { AddMember } from './add-member.js';
import { Argon2PasswordHasher } from './argon2-password-hasher.js';
import { AuthenticateSession } from './authenticate-session.js';
import { ChangeMe } from './change-me.js';
import { ChangeMemberRole } from './change-member-role.js';
import { ChangePassword } from './change-password.js';
import { ChangeWorkspace } from './change-workspace.js';
import { ConfirmPasswordReset } from './confirm-password-reset.js';
import { ConfirmSecondFactor } from './confirm-second-factor.js';
import { CreateFirstOperator } from './create-first-operator.js';
import { CreateSession } from './create-session.js';
import { CreateUser } from './create-user.js';
import { CreateWorkspace } from './create-workspace.js';
import { DeleteExpiredLogins } from './delete-expired-logins.js';
import { DeviceTokens } from './device-tokens.js';
import { DisableSecondFactor } from './disable-second-factor.js';
import { EndAllSessions } from './end-all-sessions.js';
import { EndOneSession } from './end-one-session.js';
import { EndSession } from './end-session.js';
import { GetAccountMailFacts } from './get-account-mail-facts.js';
import { GetMe } from './get-me.js';
import { GetMembership } from './get-membership.js';
import { GetSecondFactor } from './get-second-factor.js';
import { IssueInvitationToken } from './issue-invitation-token.js';
import { IssuePasswordResetToken } from './issue-password-reset-token.js';
import { LeaveWorkspace } from './leave-workspace.js';
import { ListMembers } from './list-members.js';
import { ListSessions } from './list-sessions.js';
import { ListUsers } from './list-users.js';
import { LoginGuard } from './login-guard.js';
import {
  AccountDirectory,
  LoginFailures,
  MemberDirectory,
  MemberRepository,
  PasswordHasher,
  PasswordResets,
  PasswordRules,
  SecondFactors,
  Sessions,
  UserRepository,
} from './ports.js';
import { PostgresLoginFailures } from './postgres-login-failures.js';
import { PostgresMemberRepository } from './postgres-member-repository.js';
import { PostgresPasswordResets } from './postgres-password-resets.js';
import { PostgresSecondFactors } from './postgres-second-factors.js';
import { PostgresSessions } from './postgres-sessions.js';
import { PostgresUserRepository } from './postgres-user-repository.js';
import { RemoveMember } from './remove-member.js';
import { RemoveSecondFactor } from './remove-second-factor.js';
import { RenewRecoveryCodes } from './renew-recovery-codes.js';
import { RequestPasswordReset } from './request-password-reset.js';
import { SecondFactorCheck } from './second-factor-check.js';
import { SetUserEnabled } from './set-user-enabled.js';
import { StartSecondFactor } from './start-second-factor.js';
import { SwitchWorkspace } from './switch-workspace.js';
import { ZxcvbnPasswordRules } from './zxcvbn-password-rules.js';
/** Users, their workspaces with members and roles, and their sessions. */
@Module({
  imports: [eventSourcing, prisma, EncryptionModule],
  providers: [
    CreateUser,
    CreateWorkspace,
    ChangeWorkspace,
    ChangePassword,
    GetMe,
    ChangeMe,
    CreateSession,
    AuthenticateSession,
    SwitchWorkspace,
    EndSession,
    ListSessions,
    ListUsers,
    SetUserEnabled,
    EndOneSession,
    EndAllSessions,
    CreateFirstOperator,
    DeleteExpiredLogins,
    AccountTransactions,
    AddMember,
    ChangeMemberRole,
    GetMembership,
    LeaveWorkspace,
    ListMembers,
    RemoveMember,
    AcceptInvitation,
    ConfirmPasswordReset,
    GetAccountMailFacts,
    IssueInvitationToken,
    IssuePasswordResetToken,
    RequestPasswordReset,
    AccountProof,
    ConfirmSecondFactor,
    DisableSecondFactor,
    GetSecondFactor,
    RemoveSecondFactor,
    RenewRecoveryCodes,
    SecondFactorCheck,
    StartSecondFactor,
    AccountTimers,
    LoginGuard,
    DeviceTokens,
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
    { provide: PasswordRules, useClass: ZxcvbnPasswordRules },
    Accounts,
    { provide: AccountDirectory, useExisting: Accounts },
    { provide: MemberDirectory, useExisting: Accounts },
    { provide: UserRepository, useClass: PostgresUserRepository },
    { provide: MemberRepository, useClass: PostgresMemberRepository },
    { provide: PasswordResets, useClass: PostgresPasswordResets },
    { provide: SecondFactors, useClass: PostgresSecondFactors },
    { provide: Sessions, useClass: PostgresSessions },
    { provide: LoginFailures, useClass: PostgresLoginFailures },
  ],
  exports: [AccountDirectory],
})
export class AccountsModule {}
