import { Module } from '@nestjs/common';
import { PublicServer } from './public-server.js';
import { ServiceClientModule } from './service-client/service-client.module.js';

/** The service. `PublicServer` opens the public port with the features of `PublicApiModule`. */
@Module({ imports: [ServiceClientModule], providers: [PublicServer] })
export class ApiGatewayModule {}
