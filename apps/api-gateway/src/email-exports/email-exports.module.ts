import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { EmailExportsController } from './email-exports.controller.js';

/** The messages of an email service as a file. */
@Module({ imports: [ServiceClientModule], controllers: [EmailExportsController] })
export class EmailExportsModule {}
