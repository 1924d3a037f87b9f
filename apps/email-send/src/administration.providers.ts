import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { ProjectedStreams, Streams } from '@postern/event-sourcing';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, KeyRing, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { v7 as uuidv7 } from 'uuid';
import { NodeDnsResolver } from './adapters/dns/dns-resolver.js';
import { ApiKeysController } from './adapters/nats/api-keys.controller.js';
import { EmailServicesController } from './adapters/nats/email-services.controller.js';
import { ReportsController } from './adapters/nats/reports.controller.js';
import { SendingDomainsController } from './adapters/nats/sending-domains.controller.js';
import { VerifiedRecipientsController } from './adapters/nats/verified-recipients.controller.js';
import { PostgresDayBook } from './adapters/postgres/day-book.js';
import { PostgresDkimKeys } from './adapters/postgres/dkim-key-store.js';
import { PostgresDomainChecks } from './adapters/postgres/domain-check-schedule.js';
import { PostgresRecipientCodes } from './adapters/postgres/recipient-code-book.js';
import { PostgresSenderDirectory } from './adapters/postgres/sender-directory.js';
import { PostgresSentToday } from './adapters/postgres/sent-today.js';
import type { administrationSettings } from './administration-settings.js';
import { AddSendingDomain } from './commands/add-sending-domain.js';
import { AddVerifiedRecipient } from './commands/add-verified-recipient.js';
import { CheckSendingDomain } from './commands/check-sending-domain.js';
import { CreateApiKey } from './commands/create-api-key.js';
import { CreateEmailService } from './commands/create-email-service.js';
import { PreAddRecipient } from './commands/pre-add-recipient.js';
import { RemoveSendingDomain } from './commands/remove-sending-domain.js';
import { RemoveVerifiedRecipient } from './commands/remove-verified-recipient.js';
import { RevokeApiKey } from './commands/revoke-api-key.js';
import { RotateDkimKey } from './commands/rotate-dkim-key.js';
import { SetServiceLimits } from './commands/set-service-limits.js';
import { UpdateEmailService } from './commands/update-email-service.js';
import { VerifyRecipient } from './commands/verify-recipient.js';
import { VerifySendingDomain } from './commands/verify-sending-domain.js';
import { PrismaClient } from './generated/prisma/client.js';
import {
  AdministrationSettings,
  DayBook,
  DkimKeys,
  DnsResolver,
  DomainChecks,
  RecipientCodes,
  SenderDirectory,
  SentToday,
} from './ports.js';
import { administration } from './projections/administration.js';
import { ApiKeys } from './projections/api-keys.js';
import { EmailServices } from './projections/email-services.js';
import { SendingDomains } from './projections/sending-domains.js';
import { VerifiedRecipients } from './projections/verified-recipients.js';
import { AdjustDailyQuotas } from './reactions/adjust-daily-quotas.js';
import { CountReports } from './reactions/count-reports.js';
import { RecheckSendingDomains } from './reactions/recheck-sending-domains.js';

type Config = ConfigOf<ConfigDefinition<typeof administrationSettings>>;

/** Starts what administration does by the clock. */
@Injectable()
export class AdministrationTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly domains: RecheckSendingDomains,
    private readonly quotas: AdjustDailyQuotas,
    private readonly days: DayBook,
    private readonly senders: PostgresSenderDirectory,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(15_000, 'recheck sending domains', () => this.domains.run());
    this.tasks.every(60_000, 'adjust daily quotas', () => this.quotas.run());
    this.tasks.every(30_000, 'note the last use of API keys', () => this.senders.flushUses());
    this.tasks.every(6 * 3_600_000, 'forget days that were judged', () => this.days.purge());
  }
}

/** Needs `PostgresEventStore`, `ProjectionRunner` with the projection `administration`, and `SystemMail` beside it. */
export const administrationProviders: Provider[] = [
  {
    provide: AdministrationSettings,
    inject: [CONFIG],
    useFactory: (config: Config): AdministrationSettings => ({
      spfHost: config.spfHost,
      limits: {
        sandboxDaily: config.sandboxDailyLimit,
        sandboxPerMinute: config.sandboxPerMinuteLimit,
        productionPerMinute: config.productionPerMinuteLimit,
        productionDailyStart: config.productionDailyStart,
        productionDailyCeiling: config.quotaCeiling,
      },
    }),
  },
  {
    provide: PrismaClient,
    inject: [Database],
    useFactory: (database: Database) => new PrismaClient({ adapter: database.prismaAdapter() }),
  },
  {
    provide: KeyRing,
    inject: [CONFIG],
    useFactory: ({ encryptionKeys }: Config) => new KeyRing(encryptionKeys),
  },
  {
    provide: DnsResolver,
    inject: [CONFIG],
    useFactory: ({ dnsServers }: Config) => new NodeDnsResolver({ servers: dnsServers }),
  },
  {
    provide: Streams,
    inject: [PostgresEventStore, ProjectionRunner],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
      new ProjectedStreams({
        store,
        waitUntil: position => runner.waitUntil(administration.name, position),
        // A timer's work belongs to no request and begins a correlation of its own.
        metadata: () => ({ correlationId: uuidv7(), ...currentContext() }),
      }),
  },
  {
    provide: DkimKeys,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new PostgresDkimKeys(pool, keys),
  },
  {
    provide: RecipientCodes,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new PostgresRecipientCodes(pool, keys),
  },
  {
    provide: DomainChecks,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresDomainChecks(pool),
  },
  { provide: DayBook, inject: [Database], useFactory: ({ pool }: Database) => new PostgresDayBook(pool) },
  { provide: SentToday, inject: [Database], useFactory: ({ pool }: Database) => new PostgresSentToday(pool) },
  {
    provide: PostgresSenderDirectory,
    inject: [Database, KeyRing, AdministrationSettings],
    useFactory: ({ pool }: Database, keys: KeyRing, { limits }: AdministrationSettings) =>
      new PostgresSenderDirectory(pool, keys, limits),
  },
  { provide: SenderDirectory, useExisting: PostgresSenderDirectory },
  EmailServices,
  ApiKeys,
  SendingDomains,
  VerifiedRecipients,
  CreateEmailService,
  UpdateEmailService,
  SetServiceLimits,
  CreateApiKey,
  RevokeApiKey,
  AddSendingDomain,
  CheckSendingDomain,
  VerifySendingDomain,
  RotateDkimKey,
  RemoveSendingDomain,
  AddVerifiedRecipient,
  PreAddRecipient,
  VerifyRecipient,
  RemoveVerifiedRecipient,
  RecheckSendingDomains,
  AdjustDailyQuotas,
  CountReports,
  AdministrationTimers,
];

export const administrationControllers = [
  EmailServicesController,
  ApiKeysController,
  SendingDomainsController,
  VerifiedRecipientsController,
  ReportsController,
];
