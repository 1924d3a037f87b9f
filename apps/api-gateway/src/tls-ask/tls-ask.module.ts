import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { TlsAskController } from './tls-ask.controller.js';

/** Lets TLS proxies check for which host names they may obtain certificates. */
@Module({ imports: [ServiceClientModule], controllers: [TlsAskController] })
export class TlsAskModule {}
