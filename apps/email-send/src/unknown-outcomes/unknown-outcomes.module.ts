import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { UnresolvedEmails } from './ports.js';
import { PostgresUnresolvedEmails } from './postgres-unresolved-emails.js';
import { ResolveUnknownEmails } from './resolve-unknown-emails.js';

/** Messages whose outcome is unknown until delivery-tracking publishes evidence. */
@Module({
  imports: [PostgresModule],
  providers: [ResolveUnknownEmails, { provide: UnresolvedEmails, useClass: PostgresUnresolvedEmails }],
})
export class UnknownOutcomesModule {}
