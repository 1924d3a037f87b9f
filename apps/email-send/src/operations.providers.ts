import type { Provider } from '@nestjs/common';
import { OutboxRelay, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { RelaySet } from '@postern/mail';
import {
  CONFIG,
  Database,
  KeyRing,
  Operating,
  operationsController,
  SealedColumns,
  ServiceLog,
} from '@postern/service-host';
import { DnsLookUps } from './adapters/diagnosis/dns-look-ups.js';
import { SendingDiagnosis } from './adapters/diagnosis/sending-diagnosis.js';
import { ReturnPathController } from './adapters/nats/return-path.controller.js';
import { dkimKeyRow } from './adapters/postgres/dkim-key-store.js';
import { PersonalRows } from './adapters/postgres/personal-rows.js';
import { ProbeReturnPath } from './commands/probe-return-path.js';
import type { EmailSendConfig } from './config.js';
import { dkimRecordName } from './domain/domain-records.js';

const diagnosisOf = (config: EmailSendConfig, { pool }: Database, relays: RelaySet): SendingDiagnosis =>
  new SendingDiagnosis(
    relays,
    new DnsLookUps(config.dnsServers),
    {
      bounceDomain: config.bounceDomain,
      sandboxDomain: config.sandboxDomain,
      spfHost: config.spfHost,
      sandboxDkimName: config.sandboxDkimKey && dkimRecordName(config.sandboxDkimSelector, config.sandboxDomain),
    },
    pool,
  );

/** What the operator asks of email-send. */
export const operationsProviders: Provider[] = [
  ProbeReturnPath,
  {
    provide: SendingDiagnosis,
    inject: [CONFIG, Database, RelaySet],
    useFactory: diagnosisOf,
  },
  {
    provide: Operating,
    inject: [Database, ProjectionRunner, OutboxRelay, KeyRing, SendingDiagnosis, ServiceLog],
    useFactory: (
      database: Database,
      projections: ProjectionRunner,
      outbox: OutboxRelay,
      keys: KeyRing,
      diagnosis: SendingDiagnosis,
      log: ServiceLog,
    ) =>
      new Operating({
        database,
        projections,
        outbox,
        log,
        diagnosis,
        personal: new PersonalRows(database.pool),
        sealed: new SealedColumns(database.pool, keys, [
          { table: 'dkim_keys', id: 'id', column: 'sealed_private_key', rowOf: dkimKeyRow },
        ]),
      }),
  },
];

export const operationsControllers = [operationsController('email-send'), ReturnPathController];
