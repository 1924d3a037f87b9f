import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { ProviderEventsController } from './provider-events.controller.js';

/** Calls from mail providers about messages that Postern sent through them. */
@Module({ imports: [ServiceClientModule], controllers: [ProviderEventsController] })
export class ProviderEventsModule {}
