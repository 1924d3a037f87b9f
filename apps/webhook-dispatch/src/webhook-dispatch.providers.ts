import type { Provider } from '@nestjs/common';
import { CommandTransactions, Inbox, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, KeyRing, Metrics, ServiceLog } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { ResolvingAddressCheck } from './infrastructure/http/dns-url-validator.js';
import { HttpEndpointCaller } from './infrastructure/http/http-endpoint-client.js';
import { PostgresDeliveryQueue } from './deliveries/postgres-delivery-queue.js';
import { PostgresWebhookRepository } from './webhooks/postgres-webhook-repository.js';
import { ObservedEndpointCaller } from './infrastructure/telemetry/observed-endpoint-client.js';
import { QueueGauges } from './infrastructure/telemetry/queue-gauges.js';
import { AttemptDelivery } from './deliveries/attempt-delivery.js';
import { CreateWebhook } from './webhooks/create-webhook.js';
import { RemoveWebhook } from './webhooks/remove-webhook.js';
import { ReplayDeliveries } from './deliveries/replay-delivery.js';
import { RotateWebhookSecret } from './webhooks/rotate-webhook-secret.js';
import { TestWebhook } from './deliveries/test-webhook.js';
import { UpdateWebhook } from './webhooks/update-webhook.js';
import type { WebhookDispatchConfig } from './config.js';
import { PrismaClient } from './generated/prisma/client.js';
import {
  DeliveryQueue,
  EndpointAddressCheck,
  EndpointCaller,
  Retention,
  WebhookDirectory,
  WebhookRepository,
} from './deliveries/ports.js';
import { ProjectedWebhooks, webhooks } from './webhooks/webhooks.projection.js';
import { DisableFailingWebhooks } from './deliveries/disable-failing-webhooks.js';
import { ForgetOldDeliveries } from './deliveries/purge-deliveries.js';
import { QueueDeliveries } from './deliveries/enqueue-deliveries.js';
import { WorkOffDeliveries } from './deliveries/process-deliveries.js';

/** What webhook-dispatch is made of. */
export const providers: Provider[] = [
  CreateWebhook,
  UpdateWebhook,
  RemoveWebhook,
  RotateWebhookSecret,
  AttemptDelivery,
  TestWebhook,
  ReplayDeliveries,
  QueueDeliveries,
  WorkOffDeliveries,
  DisableFailingWebhooks,
  ForgetOldDeliveries,
  QueueGauges,
  {
    provide: PrismaClient,
    inject: [Database],
    useFactory: (database: Database) => new PrismaClient({ adapter: database.prismaAdapter() }),
  },
  {
    provide: KeyRing,
    inject: [CONFIG],
    useFactory: ({ encryptionKeys }: WebhookDispatchConfig) => new KeyRing(encryptionKeys),
  },
  {
    provide: PostgresEventStore,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresEventStore(pool),
  },
  {
    provide: ProjectionRunner,
    inject: [PostgresEventStore, ServiceLog],
    useFactory: (store: PostgresEventStore, log: ServiceLog) =>
      new ProjectionRunner({
        store,
        projections: [webhooks],
        onError: (projection, err) => log.error({ err, projection }, 'A projection stands still; trying again'),
      }),
  },
  {
    provide: CommandTransactions,
    inject: [PostgresEventStore, ProjectionRunner],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
      new CommandTransactions({
        store,
        waitUntil: position => runner.waitUntil(webhooks.name, position),
        // A timer's work belongs to no request and begins a correlation of its own.
        metadata: () => ({ correlationId: uuidv7(), ...currentContext() }),
      }),
  },
  {
    provide: WebhookRepository,
    inject: [CommandTransactions, KeyRing, DeliveryQueue],
    useFactory: (transactions: CommandTransactions, keys: KeyRing, queue: PostgresDeliveryQueue) =>
      new PostgresWebhookRepository({ transactions, keys, onEnabled: () => queue.announce() }),
  },
  {
    provide: DeliveryQueue,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new PostgresDeliveryQueue(pool, new Inbox(pool), keys),
  },
  {
    provide: EndpointCaller,
    inject: [CONFIG, Metrics],
    useFactory: ({ webhooksAllowPrivate }: WebhookDispatchConfig, metrics: Metrics) =>
      new ObservedEndpointCaller(new HttpEndpointCaller(webhooksAllowPrivate), metrics),
  },
  {
    provide: EndpointAddressCheck,
    inject: [CONFIG],
    useFactory: ({ webhooksAllowPrivate }: WebhookDispatchConfig) => new ResolvingAddressCheck(webhooksAllowPrivate),
  },
  { provide: WebhookDirectory, useClass: ProjectedWebhooks },
  {
    provide: Retention,
    inject: [CONFIG],
    useFactory: ({ deliveryRetentionDays }: WebhookDispatchConfig): Retention => ({ days: deliveryRetentionDays }),
  },
];
