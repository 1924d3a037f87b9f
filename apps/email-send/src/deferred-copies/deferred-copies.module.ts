import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { SmtpModule } from '../infrastructure/smtp/smtp.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { DeferredCopies } from './ports.js';
import { PostgresDeferredCopies } from './postgres-deferred-copies.js';
import { RetryDeferredCopies } from './retry-deferred-copies.js';

/** Retries of copies that a relay deferred. */
@Module({
  imports: [PostgresModule, SmtpModule, SendingSettingsModule, ApiKeysModule, SuppressionsModule],
  providers: [RetryDeferredCopies, { provide: DeferredCopies, useClass: PostgresDeferredCopies }],
})
export class DeferredCopiesModule {}
