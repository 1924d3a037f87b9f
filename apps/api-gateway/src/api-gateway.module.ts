import { Module } from '@nestjs/common';
import { BufferedBytesModule } from './infrastructure/http/admission/buffered-bytes.module.js';
import { ServiceClientModule } from './infrastructure/service-client/service-client.module.js';
import { PublicServer } from './public-server.js';
import { SubmissionModule } from './submission/submission.module.js';

/** The root module. `PublicServer` opens the public port with the features of `PublicApiModule`. */
@Module({ imports: [ServiceClientModule, SubmissionModule, BufferedBytesModule], providers: [PublicServer] })
export class ApiGatewayModule {}
