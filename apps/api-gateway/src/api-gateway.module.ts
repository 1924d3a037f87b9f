import { Module } from '@nestjs/common';
import { RequestClient } from '@postern/messaging';
import { PublicServer } from './public-server.js';
import { NatsServiceClient } from './service-client/nats-service-client.js';
import { ServiceClient } from './service-client/ports.js';

/** The service itself; `PublicServer` starts the public port with the features of `PublicApiModule`. */
@Module({
  providers: [
    {
      provide: ServiceClient,
      useFactory: (client: RequestClient) => new NatsServiceClient(client),
      inject: [RequestClient],
    },
    PublicServer,
  ],
})
export class ApiGatewayModule {}
