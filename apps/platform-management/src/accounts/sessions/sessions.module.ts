import { Module } from '@nestjs/common';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { AuthenticateSession } from './authenticate-session.js';
import { SealedDeviceTokens } from './device-tokens.js';
import { EndAllSessions } from './end-all-sessions.js';
import { EndOneSession } from './end-one-session.js';
import { EndSession } from './end-session.js';
import { ListSessions } from './list-sessions.js';
import { DeviceTokens, Sessions } from './ports.js';
import { PostgresSessions } from './postgres-sessions.js';

/** Sessions of signed-in users, and the tokens of their devices. */
@Module({
  imports: [prisma, EncryptionModule],
  providers: [
    AuthenticateSession,
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
