import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { SuppressionsController } from './suppressions.controller.js';

/** The suppression list of an email service, as JSON or as a file. */
@Module({ imports: [ServiceClientModule], controllers: [SuppressionsController] })
export class SuppressionsModule {}
