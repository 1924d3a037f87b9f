import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DELIVERY_TRACKING_EVENTS } from '@postern/contracts';
import { EventStore } from '@postern/event-sourcing';
import { Inbox, OutboxRelay, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { TrackingTokens } from '@postern/mail';
import { NatsLink } from '@postern/messaging';
import { CONFIG, Database, ServiceLog, serviceRelay, Tasks } from '@postern/service-host';
import { MeteredTrackingCounters } from './infrastructure/telemetry/tracking-metrics.js';
import { EmailsController } from './messages/emails.controller.js';
import { NatsReturnPathArrivals } from './delivery-notifications/nats-return-path-probes.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { VisitsController } from './engagement/visits.controller.js';
import { PostgresOverdueEmails } from './tracked-emails/postgres-overdue-emails.js';
import { PostgresTrackingTransactions } from './tracked-emails/postgres-tracking-transactions.js';
import { PostgresWaitingSignals } from './tracked-emails/postgres-waiting-signals.js';
import { ProjectedReadModels } from './suppressions/projected-read-models.js';
import { BounceListener } from './delivery-notifications/bounce-listener.js';
import { certificateOf } from './delivery-notifications/certificate.js';
import { LiftSuppression } from './suppressions/remove-suppression.js';
import { ReceiveReport } from './delivery-notifications/receive-report.js';
import { RecordSignals } from './tracked-emails/record-signals.js';
import { RecordVisit } from './engagement/record-open.js';
import { SignalGroups } from './tracked-emails/grouped-signals.js';
import type { DeliveryTrackingConfig } from './config.js';
import { PrismaClient } from './generated/prisma/client.js';
import { operationsControllers, operationsProviders } from './erasure/operations.providers.js';
import {
  OverdueEmails,
  ReadModels,
  ReturnPathArrivals,
  TrackingCounters,
  TrackingTransactions,
  WaitingSignals,
} from './tracked-emails/ports.js';
import { EmailQueries } from './messages/email-queries.js';
import { EmailStats } from './statistics/email-statistics.js';
import { suppressedAddresses } from './suppressions/suppressed-addresses.projection.js';
import { SuppressionList } from './suppressions/suppression-list.js';
import { trackedEmails } from './messages/tracked-emails.projection.js';
import { FollowEmails } from './tracked-emails/track-emails.js';
import { GiveUpWaiting, Patience } from './tracked-emails/mark-missed-notifications.js';
import { RunningParts } from './running-parts.js';

const DAY_MS = 24 * 3_600_000;
const PROJECTIONS = [trackedEmails, suppressedAddresses];

@Module({
  controllers: [EmailsController, VisitsController, SuppressionsController, ...operationsControllers],
  providers: [
    EmailQueries,
    EmailStats,
    SuppressionList,
    RecordSignals,
    SignalGroups,
    RecordVisit,
    ReceiveReport,
    LiftSuppression,
    FollowEmails,
    GiveUpWaiting,
    RunningParts,
    ...operationsProviders,
    { provide: ReturnPathArrivals, useClass: NatsReturnPathArrivals },
    { provide: TrackingTransactions, useClass: PostgresTrackingTransactions },
    { provide: TrackingCounters, useClass: MeteredTrackingCounters },
    { provide: WaitingSignals, useClass: PostgresWaitingSignals },
    { provide: OverdueEmails, useClass: PostgresOverdueEmails },
    {
      provide: PostgresEventStore,
      inject: [Database],
      useFactory: ({ pool }: Database) => new PostgresEventStore(pool),
    },
    { provide: EventStore, useExisting: PostgresEventStore },
    { provide: Inbox, inject: [Database], useFactory: ({ pool }: Database) => new Inbox(pool) },
    {
      provide: PrismaClient,
      inject: [Database],
      useFactory: (database: Database) => new PrismaClient({ adapter: database.prismaAdapter() }),
    },
    {
      provide: TrackingTokens,
      inject: [CONFIG],
      useFactory: ({ linkSecrets }: DeliveryTrackingConfig) => TrackingTokens.fromSecrets(linkSecrets),
    },
    {
      provide: Patience,
      inject: [CONFIG],
      useFactory: (config: DeliveryTrackingConfig): Patience => ({
        notificationMs: config.notificationPatienceMs,
        signalMs: config.signalPatienceMs,
      }),
    },
    {
      provide: ProjectionRunner,
      inject: [PostgresEventStore, ServiceLog],
      useFactory: (store: PostgresEventStore, log: ServiceLog) =>
        new ProjectionRunner({
          store,
          projections: PROJECTIONS,
          onError: (projection, err) => log.error({ err, projection }, 'A projection stands still; it tries again'),
        }),
    },
    {
      provide: ReadModels,
      inject: [PostgresEventStore, ProjectionRunner],
      useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
        new ProjectedReadModels(
          store,
          runner,
          PROJECTIONS.map(({ name }) => name),
        ),
    },
    {
      provide: OutboxRelay,
      inject: [PostgresEventStore, NatsLink, CONFIG, ServiceLog],
      useFactory: (store: PostgresEventStore, link: NatsLink, config: DeliveryTrackingConfig, log: ServiceLog) =>
        serviceRelay({
          service: 'delivery-tracking',
          contracts: DELIVERY_TRACKING_EVENTS,
          store,
          link,
          log,
          maxBytes: config.eventStreamMaxBytes,
        }),
    },
    {
      provide: BounceListener,
      inject: [CONFIG, ReceiveReport, TrackingCounters, ServiceLog],
      useFactory: (
        config: DeliveryTrackingConfig,
        receiver: ReceiveReport,
        counters: TrackingCounters,
        log: ServiceLog,
      ) =>
        new BounceListener({
          host: config.bounceSmtpHost,
          port: config.bounceSmtpPort,
          domain: config.bounceDomain,
          maxBytes: config.bounceMaxBytes,
          maxConnections: config.bounceMaxConnections,
          maxConnectionsPerAddress: config.bounceMaxConnectionsPerAddress,
          maxMessagesPerMinute: config.bounceMaxMessagesPerMinute,
          silenceMs: config.bounceConnectionTimeoutMs,
          certificate: certificateOf(config),
          sessionMs: config.bounceSessionTimeoutMs,
          receiver,
          onRefused: cause => counters.refusedMail(cause),
          onFailure: err => log.error({ err }, 'A report could not be taken; its sender will come again'),
        }),
    },
  ],
})
export class DeliveryTrackingModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly parts: RunningParts,
    private readonly tasks: Tasks,
    private readonly giveUp: GiveUpWaiting,
    private readonly inbox: Inbox,
    @Inject(CONFIG) private readonly config: DeliveryTrackingConfig,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.parts.start();
    this.tasks.every(this.config.sweepIntervalMs, 'give up on notifications', () =>
      this.giveUp.forNotifications(new Date()),
    );
    this.tasks.every(this.config.sweepIntervalMs, 'give up on emails', () => this.giveUp.forEmails(new Date()));
    this.tasks.every(DAY_MS, 'forget which events were taken long ago', () => this.inbox.purge());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.stop();
  }
}
