import { Module } from '@nestjs/common';
import { DeletedServicesModule } from './deleted-services/deleted-services.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { ListenersModule } from './listeners/listeners.module.js';
import { operations } from './operations/operations.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Webhooks, their deliveries and attempts. */
@Module({ imports: [WebhooksModule, DeliveriesModule, ListenersModule, DeletedServicesModule, operations] })
export class WebhookDispatchModule {}
