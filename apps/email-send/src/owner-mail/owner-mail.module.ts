import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { MailOwnerEvents } from './mail-owner-events.js';
import { NatsOwnerFacts } from './nats-owner-facts.js';
import { OwnerFacts, OwnerMailClaims } from './ports.js';
import { PostgresOwnerMailClaims } from './postgres-owner-mail-claims.js';

/** Mail to the owners of a workspace about failures of its web services and databases. */
@Module({
  imports: [PostgresModule, SystemMailModule],
  providers: [
    MailOwnerEvents,
    { provide: OwnerFacts, useClass: NatsOwnerFacts },
    { provide: OwnerMailClaims, useClass: PostgresOwnerMailClaims },
  ],
})
export class OwnerMailModule {}
