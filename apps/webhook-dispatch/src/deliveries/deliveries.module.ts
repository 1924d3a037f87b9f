import { Module } from '@nestjs/common';
import { OutboundModule } from '../infrastructure/outbound.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { Deliveries } from './deliveries.projection.js';
import { DisableFailingWebhooks } from './disable-failing-webhooks.js';
import { EnqueueDeliveries } from './enqueue-deliveries.js';
import { HttpEndpointClient } from './http-endpoint-client.js';
import { ObservedEndpointClient } from './observed-endpoint-client.js';
import { Partitions } from './partitions.js';
import { DeliveryQueue, EndpointClient } from './ports.js';
import { PostgresDeliveryQueue } from './postgres-delivery-queue.js';
import { ProcessDeliveries } from './process-deliveries.js';
import { PurgeDeliveries } from './purge-deliveries.js';
import { QueueGauges } from './queue-gauges.js';
import { ReplayDelivery } from './replay-delivery.js';
import { ReplayMissedDeliveries } from './replay-missed-deliveries.js';
import { TestWebhook } from './test-webhook.js';

/** The queue of deliveries, their attempts, retries and replays. */
@Module({
  imports: [prisma, OutboundModule, WebhooksModule],
  providers: [
    EnqueueDeliveries,
    Partitions,
    ProcessDeliveries,
    AttemptDelivery,
    TestWebhook,
    ReplayDelivery,
    ReplayMissedDeliveries,
    DisableFailingWebhooks,
    PurgeDeliveries,
    Deliveries,
    QueueGauges,
    HttpEndpointClient,
    { provide: EndpointClient, useClass: ObservedEndpointClient },
    { provide: DeliveryQueue, useClass: PostgresDeliveryQueue },
  ],
})
export class DeliveriesModule {}
