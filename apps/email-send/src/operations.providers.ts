import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { OutboxRelay, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { RelaySet } from '@postern/mail';
import { NatsLink, StreamErasure } from '@postern/messaging';
import {
  CONFIG,
  Database,
  KeyRing,
  Operating,
  operationsController,
  SealedColumns,
  ServiceLog,
  Tasks,
} from '@postern/service-host';
import { DnsLookUps } from './adapters/diagnosis/dns-look-ups.js';
import { SendingDiagnosis } from './adapters/diagnosis/sending-diagnosis.js';
import { ErasuresController } from './adapters/nats/erasures.controller.js';
import { NatsErasureSteps } from './adapters/nats/nats-erasure-steps.js';
import { ReturnPathController } from './adapters/nats/return-path.controller.js';
import { dkimKeyRow } from './adapters/postgres/dkim-key-store.js';
import { PersonalRows } from './adapters/postgres/personal-rows.js';
import { erasureRow, PostgresErasures } from './adapters/postgres/postgres-erasures.js';
import { ProbeReturnPath } from './commands/probe-return-path.js';
import { StartErasure } from './commands/start-erasure.js';
import type { EmailSendConfig } from './config.js';
import { dkimRecordName } from './domain/domain-records.js';
import { ErasureSteps, Erasures } from './ports.js';
import { CarryOutErasures } from './reactions/carry-out-erasures.js';

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

/** Carries erasures out for as long as the service runs. */
@Injectable()
export class ErasureTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly erasures: CarryOutErasures,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(ERASURE_POLL_MS, 'carry out erasures', signal => this.erasures.run(signal));
  }
}

const ERASURE_POLL_MS = 1_000;

/** What the operator asks of email-send. */
export const operationsProviders: Provider[] = [
  ProbeReturnPath,
  StartErasure,
  CarryOutErasures,
  ErasureTimer,
  { provide: ErasureSteps, useClass: NatsErasureSteps },
  {
    provide: Erasures,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new PostgresErasures(pool, keys),
  },
  {
    provide: SendingDiagnosis,
    inject: [CONFIG, Database, RelaySet],
    useFactory: diagnosisOf,
  },
  {
    provide: Operating,
    inject: [Database, ProjectionRunner, OutboxRelay, KeyRing, SendingDiagnosis, ServiceLog, NatsLink],
    useFactory: (
      database: Database,
      projections: ProjectionRunner,
      outbox: OutboxRelay,
      keys: KeyRing,
      diagnosis: SendingDiagnosis,
      log: ServiceLog,
      link: NatsLink,
    ) =>
      new Operating({
        database,
        projections,
        outbox,
        log,
        diagnosis,
        personal: new PersonalRows(),
        stream: new StreamErasure(link, 'email-send'),
        sealed: new SealedColumns(database.pool, keys, [
          { table: 'dkim_keys', id: 'id', column: 'sealed_private_key', rowOf: dkimKeyRow },
          { table: 'erasures', id: 'id', column: 'sealed_address', rowOf: erasureRow },
        ]),
      }),
  },
];

export const operationsControllers = [operationsController('email-send'), ReturnPathController, ErasuresController];
