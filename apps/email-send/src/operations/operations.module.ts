import { Module } from '@nestjs/common';
import { OutboxRelay, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { NatsLink, StreamErasure } from '@postern/messaging';
import {
  Database,
  KeyRing,
  Operating,
  operationsController,
  PersonalData,
  SealedColumns,
  ServiceLog,
} from '@postern/service-host';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { erasureRow } from '../erasures/erasure.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { DnsModule } from '../infrastructure/dns/dns.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { SmtpModule } from '../infrastructure/smtp/smtp.module.js';
import { dkimKeyRow } from '../sending-domains/sending-domain.js';
import { ProbeReturnPath } from './probe-return-path.js';
import { SendingDiagnosis } from './sending-diagnosis.js';

/** What the `postern` command can do with email-send. */
@Module({
  imports: [PostgresModule, SmtpModule, DnsModule, SendingSettingsModule, ErasuresModule],
  controllers: [operationsController('email-send')],
  providers: [
    ProbeReturnPath,
    SendingDiagnosis,
    {
      provide: Operating,
      inject: [Database, ProjectionRunner, OutboxRelay, KeyRing, SendingDiagnosis, PersonalData, ServiceLog, NatsLink],
      useFactory: (
        database: Database,
        projections: ProjectionRunner,
        outbox: OutboxRelay,
        keys: KeyRing,
        diagnosis: SendingDiagnosis,
        personal: PersonalData,
        log: ServiceLog,
        link: NatsLink,
      ) =>
        new Operating({
          database,
          projections,
          outbox,
          log,
          diagnosis,
          personal,
          stream: new StreamErasure(link, 'email-send'),
          sealed: new SealedColumns(database.pool, keys, [
            { table: 'dkim_keys', id: 'id', column: 'sealed_private_key', rowOf: dkimKeyRow },
            { table: 'erasures', id: 'id', column: 'sealed_address', rowOf: erasureRow },
          ]),
        }),
    },
  ],
})
export class OperationsModule {}
