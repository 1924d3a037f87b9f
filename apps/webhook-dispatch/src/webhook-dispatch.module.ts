import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { CONFIG, ServiceLog, Tasks } from '@postern/service-host';
import { DeliveriesController } from './adapters/nats/deliveries.controller.js';
import { WebhooksController } from './adapters/nats/webhooks.controller.js';
import type { WebhookDispatchConfig } from './config.js';
import { DeliveryQueue } from './ports.js';
import { DisableFailingWebhooks } from './reactions/disable-failing-webhooks.js';
import { WorkOffDeliveries } from './reactions/work-off-deliveries.js';
import { providers } from './webhook-dispatch.providers.js';

const DAY_MS = 24 * 3_600_000;

/** What runs by the clock and in the background. */
class Background {
  constructor(
    private readonly tasks: Tasks,
    private readonly log: ServiceLog,
    private readonly retentionDays: number,
  ) {}

  start(work: WorkOffDeliveries, disabling: DisableFailingWebhooks, queue: DeliveryQueue): void {
    const complain = (err: unknown) => this.log.error({ err }, 'The delivery queue cannot be worked on; trying again');
    this.tasks.every(1_000, 'work off deliveries', signal => work.run(signal, complain));
    this.tasks.every(60_000, 'disable failing webhooks', () => disabling.run());
    this.tasks.every(3_600_000, 'purge finished deliveries', () =>
      queue.purgeFinishedBefore(new Date(Date.now() - this.retentionDays * DAY_MS)),
    );
  }
}

/** Endpoints, deliveries and attempts. */
@Module({
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    ...providers,
    {
      provide: Background,
      inject: [Tasks, ServiceLog, CONFIG],
      useFactory: (tasks: Tasks, log: ServiceLog, { deliveryRetentionDays }: WebhookDispatchConfig) =>
        new Background(tasks, log, deliveryRetentionDays),
    },
  ],
})
export class WebhookDispatchModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly projections: ProjectionRunner,
    private readonly background: Background,
    private readonly work: WorkOffDeliveries,
    private readonly disabling: DisableFailingWebhooks,
    private readonly queue: DeliveryQueue,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.projections.start();
    this.background.start(this.work, this.disabling, this.queue);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.projections.stop();
  }
}
