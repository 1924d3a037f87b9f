import { Module } from '@nestjs/common';
import { EventSourcingModule } from '@postern/service-host';
import { DeletedServicesModule } from './deleted-services/deleted-services.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { ListenersModule } from './listeners/listeners.module.js';
import { operations } from './operations/operations.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { webhooks } from './webhooks/webhooks.projection.js';

/** Webhooks, their deliveries and attempts. The service publishes no events. */
@Module({
  imports: [
    EventSourcingModule.forService({ service: 'webhook-dispatch', projections: [webhooks], readYourWrites: webhooks }),
    WebhooksModule,
    DeliveriesModule,
    ListenersModule,
    DeletedServicesModule,
    operations,
  ],
})
export class WebhookDispatchModule {}
