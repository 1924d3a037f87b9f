import { Module } from '@nestjs/common';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { AuthenticateSession } from './authenticate-session.js';
import { DeviceTokens } from './device-tokens.js';
import { EndAllSessions } from './end-all-sessions.js';
import { EndOneSession } from './end-one-session.js';
import { EndSession } from './end-session.js';
import { ListSessions } from './list-sessions.js';
import { Sessions } from './sessions.js';

/** Sessions of signed-in users, and the tokens of their devices. */
@Module({
  imports: [prisma, EncryptionModule],
  providers: [AuthenticateSession, ListSessions, EndSession, EndOneSession, EndAllSessions, DeviceTokens, Sessions],
  exports: [Sessions, DeviceTokens],
})
export class SessionsModule {}
