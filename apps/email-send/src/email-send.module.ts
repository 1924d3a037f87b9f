import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { OutboxRelay, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { ServiceLog } from '@postern/service-host';
import { administrationControllers, administrationProviders } from './administration.providers.js';
import { operationsControllers, operationsProviders } from './operations.providers.js';
import { administration } from './projections/administration.js';
import { SendingTimers, sendingControllers, sendingProviders } from './sending.providers.js';

/** One service, two halves: administration says who may send, sending does it. */
@Module({
  controllers: [...administrationControllers, ...sendingControllers, ...operationsControllers],
  providers: [
    ...administrationProviders,
    ...sendingProviders,
    ...operationsProviders,
    {
      provide: ProjectionRunner,
      inject: [PostgresEventStore, ServiceLog],
      useFactory: (store: PostgresEventStore, log: ServiceLog) =>
        new ProjectionRunner({
          store,
          projections: [administration],
          onError: (projection, error) =>
            log.error({ err: error, projection }, 'A projection stands still; trying again'),
        }),
    },
  ],
})
export class EmailSendModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly projections: ProjectionRunner,
    private readonly outbox: OutboxRelay,
    private readonly timers: SendingTimers,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.projections.start();
    this.outbox.start();
    await this.timers.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.projections.stop(), this.outbox.stop()]);
  }
}
