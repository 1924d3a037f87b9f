import { Module } from '@nestjs/common';
import { TrackingTokens } from '@postern/mail';
import { NatsLink } from '@postern/messaging';
import { CONFIG, ServiceLog } from '@postern/service-host';
import { type GatewayConfig, linkSecretsOf } from '../config.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { EngagementRecorder } from './engagement-recorder.js';
import { NatsEngagementQueue } from './nats-engagement-queue.js';
import { OptOutController } from './opt-out.controller.js';
import { TrackingController } from './tracking.controller.js';
import { TrackingLinks } from './tracking-links.js';
import { UnsubscribeController } from './unsubscribe.controller.js';

@Module({
  imports: [ServiceClientModule],
  controllers: [TrackingController, OptOutController, UnsubscribeController],
  providers: [
    {
      provide: TrackingLinks,
      useFactory: (config: GatewayConfig) =>
        new TrackingLinks(TrackingTokens.fromSecrets(linkSecretsOf(config).map(secret => secret.reveal()))),
      inject: [CONFIG],
    },
    {
      provide: EngagementRecorder,
      useFactory: (services: ServiceClient, link: NatsLink, log: ServiceLog, { shutdownTimeoutMs }: GatewayConfig) =>
        new EngagementRecorder(services, new NatsEngagementQueue(link), log, shutdownTimeoutMs / 3),
      inject: [ServiceClient, NatsLink, ServiceLog, CONFIG],
    },
  ],
})
export class TrackingModule {}
