import { Module } from '@nestjs/common';
import { TrackingTokens } from '@postern/mail';
import { RequestClient } from '@postern/messaging';
import { CONFIG, ServiceLog } from '@postern/service-host';
import { NatsServices } from './adapters/nats/nats-services.js';
import { SignedLinks } from './adapters/signed-links/signed-links.js';
import { EngagementRecorder } from './commands/record-engagement.js';
import type { GatewayConfig } from './config.js';
import { Services, TrackingLinks } from './ports.js';
import { PublicDoor } from './public-door.js';

@Module({
  providers: [
    { provide: Services, useFactory: (client: RequestClient) => new NatsServices(client), inject: [RequestClient] },
    {
      provide: TrackingLinks,
      useFactory: ({ linkSecrets }: GatewayConfig) =>
        new SignedLinks(TrackingTokens.fromSecrets(linkSecrets.map(secret => secret.reveal()))),
      inject: [CONFIG],
    },
    {
      provide: EngagementRecorder,
      useFactory: (services: Services, log: ServiceLog) => new EngagementRecorder(services, log),
      inject: [Services, ServiceLog],
    },
    PublicDoor,
  ],
})
export class ApiGatewayModule {}
