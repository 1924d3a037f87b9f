import { Module } from '@nestjs/common';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuditLog } from './audit-log.js';
import { AuditNames } from './audit-names.js';
import { LoginActors } from './login-actors.js';
import { ReadAuditLog } from './read-audit-log.js';
import { RecordAuditEntry } from './record-audit-entry.js';

/** The audit log: actor, action, resource, time, client network and outcome of each request. */
@Module({
  imports: [prisma, UsersModule, EncryptionModule],
  providers: [RecordAuditEntry, ReadAuditLog, AuditLog, AuditNames, LoginActors],
})
export class AuditLogModule {}
