import { Module } from '@nestjs/common';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { OpenRequests, PlainBodies, Retention } from './ports.js';
import { PostgresOpenRequests } from './postgres-open-requests.js';
import { PostgresPlainBodies } from './postgres-plain-bodies.js';
import { PostgresRetention } from './postgres-retention.js';
import { PurgeExpired } from './purge-expired.js';
import { PurgeOpenRequests } from './purge-open-requests.js';
import { SealPlainBodies } from './seal-plain-bodies.js';

/** Seals bodies in plain text, and deletes bodies, keys, counters and open requests after their retention. */
@Module({
  imports: [SendingSettingsModule, PostgresModule],
  providers: [
    PurgeExpired,
    PurgeOpenRequests,
    SealPlainBodies,
    { provide: PlainBodies, useClass: PostgresPlainBodies },
    { provide: Retention, useClass: PostgresRetention },
    { provide: OpenRequests, useClass: PostgresOpenRequests },
  ],
})
export class RetentionModule {}
