import { Module } from '@nestjs/common';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { GetEmailContent } from './get-email-content.js';
import { KeptBodies } from './ports.js';
import { PostgresKeptBodies } from './postgres-kept-bodies.js';

/** The content of messages, for their owner. */
@Module({
  imports: [PostgresModule, SendingSettingsModule],
  providers: [GetEmailContent, { provide: KeptBodies, useClass: PostgresKeptBodies }],
})
export class EmailContentModule {}
