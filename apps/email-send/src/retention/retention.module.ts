import { Module } from '@nestjs/common';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { OpenRequests, Retention } from './ports.js';
import { PostgresOpenRequests } from './postgres-open-requests.js';
import { PostgresRetention } from './postgres-retention.js';
import { PurgeExpired } from './purge-expired.js';
import { PurgeOpenRequests } from './purge-open-requests.js';
import { RetentionTimer } from './retention.timer.js';

/** Deletes bodies, keys, counters and open requests after their time. */
@Module({
  imports: [SendingSettingsModule],
  providers: [
    PurgeExpired,
    PurgeOpenRequests,
    RetentionTimer,
    { provide: Retention, useClass: PostgresRetention },
    { provide: OpenRequests, useClass: PostgresOpenRequests },
  ],
})
export class RetentionModule {}
