import { Module } from '@nestjs/common';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { ApiKeys } from './api-keys.projection.js';
import { AuthenticateApiKey } from './authenticate-api-key.js';
import { CreateApiKey } from './create-api-key.js';
import { SenderDirectory } from './ports.js';
import { PostgresSenderDirectory } from './postgres-sender-directory.js';
import { RevokeApiKey } from './revoke-api-key.js';

/** API keys, and the senders that they belong to. */
@Module({
  imports: [PostgresModule, EmailServicesModule],
  providers: [
    ApiKeys,
    CreateApiKey,
    RevokeApiKey,
    AuthenticateApiKey,
    PostgresSenderDirectory,
    { provide: SenderDirectory, useExisting: PostgresSenderDirectory },
  ],
  exports: [SenderDirectory],
})
export class ApiKeysModule {}
