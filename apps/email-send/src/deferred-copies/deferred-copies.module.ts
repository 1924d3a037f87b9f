import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { EmailsModule } from '../emails/emails.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { DeferredCopies } from './deferred-copies.js';
import { RetryDeferredCopies } from './retry-deferred-copies.js';

/** Retries of copies that a relay deferred. */
@Module({
  imports: [EmailsModule, RelayModule, ApiKeysModule, SuppressionsModule],
  providers: [RetryDeferredCopies, DeferredCopies],
})
export class DeferredCopiesModule {}
