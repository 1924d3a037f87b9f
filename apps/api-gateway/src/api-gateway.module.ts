import { Module } from '@nestjs/common';
import type { ServiceOptions } from '@postern/service-host';
import { connectCells } from './cells/cell-connection.js';
import { config } from './config.js';
import { BufferedBytesModule } from './infrastructure/http/admission/buffered-bytes.module.js';
import { ServiceClientModule } from './infrastructure/service-client/service-client.module.js';
import { PublicServer } from './public-server.js';
import { SubmissionModule } from './submission/submission.module.js';

/** The root module. `PublicServer` opens the public port with the features of `PublicApiModule`. */
@Module({ imports: [ServiceClientModule, SubmissionModule, BufferedBytesModule], providers: [PublicServer] })
class ApiGatewayModule {}

/** The gateway as a service. With cells, it connects to their NATS servers instead of its own. */
export const apiGateway: ServiceOptions<typeof config> = {
  name: 'api-gateway',
  config,
  module: ApiGatewayModule,
  connect: connectCells,
};
