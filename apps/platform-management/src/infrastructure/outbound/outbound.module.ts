import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { EndpointHttpClient, OutboundGuard } from '@postern/outbound';
import { CONFIG } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import type { outboundSettings } from './settings.js';

type Config = ConfigOf<ConfigDefinition<typeof outboundSettings>>;

/** Closes the connections of the client at shutdown. */
@Injectable()
class OutboundShutdown implements OnModuleDestroy {
  constructor(private readonly client: EndpointHttpClient) {}

  onModuleDestroy(): Promise<void> {
    return this.client.close();
  }
}

/** Guarded connections to addresses that users choose. */
@Module({
  providers: [
    {
      provide: OutboundGuard,
      inject: [CONFIG],
      useFactory: ({ webhooksAllowPrivate }: Config) => new OutboundGuard({ allowPrivate: webhooksAllowPrivate }),
    },
    {
      provide: EndpointHttpClient,
      inject: [OutboundGuard],
      useFactory: (guard: OutboundGuard) => new EndpointHttpClient(guard),
    },
    OutboundShutdown,
  ],
  exports: [OutboundGuard, EndpointHttpClient],
})
export class OutboundModule {}
