import { Module } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { GatewayConfig } from '../../../config.js';
import { BufferedBytes } from './buffered-bytes.js';

/** One limit of buffered bytes for HTTP and SMTP submission together. */
@Module({
  providers: [
    {
      provide: BufferedBytes,
      useFactory: ({ maxBufferedBytes, maxBufferedBytesPerClient }: GatewayConfig) =>
        new BufferedBytes({ total: maxBufferedBytes, perClient: maxBufferedBytesPerClient }),
      inject: [CONFIG],
    },
  ],
  exports: [BufferedBytes],
})
export class BufferedBytesModule {}
