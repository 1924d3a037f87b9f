import { Module } from '@nestjs/common';
import {
  Database,
  KeyRing,
  OperationsModule,
  PersonalData,
  SEALED_ANSWERS,
  SealedColumns,
} from '@postern/service-host';
import { CodeOptOutsModule } from '../code-opt-outs/code-opt-outs.module.js';
import { hashKeyRow } from '../code-opt-outs/mailbox-key.js';
import { bodyRow } from '../emails/body-seal.js';
import { erasureRow } from '../erasures/erasure.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { providerEndpointRow } from '../provider-endpoints/provider-endpoint-row.js';
import { RelayModule } from '../relay/relay.module.js';
import { scheduledEmailRow, scheduledSummaryRow } from '../scheduled-emails/scheduled-email-rows.js';
import { dkimKeyRow, ed25519KeyRow } from '../sending-domains/sending-domain.js';
import { DnsLookups } from './dns-lookups.js';
import { ProbeReturnPath } from './probe-return-path.js';
import { SendingDiagnosis } from './sending-diagnosis.js';

const operations = OperationsModule.forService({
  service: 'email-send',
  imports: [PostgresModule, RelayModule, ErasuresModule, CodeOptOutsModule],
  providers: [SendingDiagnosis, DnsLookups],
  inject: [Database, KeyRing, PersonalData, SendingDiagnosis],
  useFactory: ({ pool }: Database, keys: KeyRing, personal: PersonalData, diagnosis: SendingDiagnosis) => ({
    personal,
    diagnosis,
    sealed: new SealedColumns(pool, keys, [
      { table: 'dkim_keys', id: 'id', column: 'sealed_private_key', rowOf: dkimKeyRow },
      { table: 'dkim_ed25519_keys', id: 'rsa_key_id', column: 'sealed_private_key', rowOf: ed25519KeyRow },
      {
        ...{ table: 'sealed_email_bodies', id: 'email_id', column: 'body', bytes: true },
        ...{ keyColumn: 'key_id', rowOf: bodyRow },
      },
      { table: 'mailbox_hash_keys', id: 'id', column: 'sealed_key', rowOf: hashKeyRow },
      { table: 'scheduled_emails', id: 'id', column: 'sealed', rowOf: scheduledEmailRow },
      { table: 'scheduled_emails', id: 'id', column: 'sealed_summary', rowOf: scheduledSummaryRow },
      { table: 'provider_endpoints', id: 'id', column: 'sealed_credentials', rowOf: providerEndpointRow },
      SEALED_ANSWERS,
      { table: 'erasures', id: 'id', column: 'sealed_address', rowOf: erasureRow },
    ]),
  }),
});

/** The operations of the `postern` command on email-send. */
@Module({
  imports: [operations, RelayModule],
  providers: [ProbeReturnPath],
})
export class EmailOperationsModule {}
