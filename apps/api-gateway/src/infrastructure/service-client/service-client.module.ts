import { Module } from '@nestjs/common';
import { HOST, type Host } from '@postern/service-host';
import { type GatewayConnection, ServiceClient } from './ports.js';

@Module({
  providers: [
    {
      provide: ServiceClient,
      useFactory: ({ connection, requests }: Host) => (connection as GatewayConnection).services ?? requests,
      inject: [HOST],
    },
  ],
  exports: [ServiceClient],
})
export class ServiceClientModule {}
