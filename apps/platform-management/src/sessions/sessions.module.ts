import { Module } from '@nestjs/common';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { AccountTransactionsModule } from '../infrastructure/postgres/account-transactions.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { LoginLimitsModule } from '../login-limits/login-limits.module.js';
import { SecondFactorsModule } from '../second-factors/second-factors.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthenticateSession } from './authenticate-session.js';
import { CreateSession } from './create-session.js';
import { SealedDeviceTokens } from './device-tokens.js';
import { EndAllSessions } from './end-all-sessions.js';
import { EndOneSession } from './end-one-session.js';
import { EndSession } from './end-session.js';
import { ListSessions } from './list-sessions.js';
import { DeviceTokens, Sessions } from './ports.js';
import { PostgresSessions } from './postgres-sessions.js';
import { SwitchWorkspace } from './switch-workspace.js';

/** Logins, and the sessions that they open. */
@Module({
  imports: [AccountTransactionsModule, prisma, EncryptionModule, LoginLimitsModule, UsersModule, SecondFactorsModule],
  providers: [
    CreateSession,
    AuthenticateSession,
    SwitchWorkspace,
    ListSessions,
    EndSession,
    EndOneSession,
    EndAllSessions,
    { provide: DeviceTokens, useClass: SealedDeviceTokens },
    { provide: Sessions, useClass: PostgresSessions },
  ],
  exports: [Sessions, DeviceTokens],
})
export class SessionsModule {}
