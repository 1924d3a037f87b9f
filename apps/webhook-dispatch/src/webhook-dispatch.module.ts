import { Module } from '@nestjs/common';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { operations } from './operations/operations.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Webhooks, their deliveries and attempts. */
@Module({ imports: [WebhooksModule, DeliveriesModule, operations] })
export class WebhookDispatchModule {}
