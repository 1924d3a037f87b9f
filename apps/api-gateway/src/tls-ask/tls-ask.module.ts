import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { TlsAskController } from './tls-ask.controller.js';

/** Answers TLS fronts which host names may have certificates. */
@Module({ imports: [ServiceClientModule], controllers: [TlsAskController] })
export class TlsAskModule {}
