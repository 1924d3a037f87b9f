import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { AuditLogTimers } from './audit-log-timers.js';
import { AuditLog, LoginActors } from './ports.js';
import { PostgresAuditLog } from './postgres-audit-log.js';
import { PostgresLoginActors } from './postgres-login-actors.js';
import { ReadAuditLog } from './read-audit-log.js';
import { RecordAuditEntry } from './record-audit-entry.js';

/** The audit log: actor, action, resource, time, client network and outcome of each request. */
@Module({
  imports: [prisma, AccountsModule, EncryptionModule],
  providers: [
    RecordAuditEntry,
    ReadAuditLog,
    AuditLogTimers,
    { provide: AuditLog, useClass: PostgresAuditLog },
    { provide: LoginActors, useClass: PostgresLoginActors },
  ],
})
export class AuditLogModule {}
