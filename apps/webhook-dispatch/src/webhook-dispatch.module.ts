import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { operationsControllers, operationsProviders } from './erasure/operations.providers.js';
import { RunningParts } from './running-parts.js';
import { providers } from './webhook-dispatch.providers.js';

/** Endpoints, deliveries and attempts. */
@Module({
  controllers: [WebhooksController, DeliveriesController, ...operationsControllers],
  providers: [...providers, ...operationsProviders, RunningParts],
})
export class WebhookDispatchModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly projections: ProjectionRunner,
    private readonly parts: RunningParts,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.projections.start();
    this.parts.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.projections.stop();
  }
}
