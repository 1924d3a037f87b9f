import { Module } from '@nestjs/common';
import { RequestClient } from '@postern/messaging';
import { NatsServiceClient } from '../infrastructure/nats/nats-service-client.js';
import { ServiceClient } from './ports.js';

@Module({
  providers: [
    {
      provide: ServiceClient,
      useFactory: (client: RequestClient) => new NatsServiceClient(client),
      inject: [RequestClient],
    },
  ],
  exports: [ServiceClient],
})
export class ServiceClientModule {}
