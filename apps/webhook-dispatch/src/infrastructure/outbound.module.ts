import { Module } from '@nestjs/common';
import { OutboundGuard } from '@postern/outbound';
import { CONFIG } from '@postern/service-host';
import type { WebhookDispatchConfig } from '../config.js';

/** The guard of connections to the endpoints of customers. */
@Module({
  providers: [
    {
      provide: OutboundGuard,
      inject: [CONFIG],
      useFactory: ({ webhooksAllowPrivate }: WebhookDispatchConfig) =>
        new OutboundGuard({ allowPrivate: webhooksAllowPrivate }),
    },
  ],
  exports: [OutboundGuard],
})
export class OutboundModule {}
