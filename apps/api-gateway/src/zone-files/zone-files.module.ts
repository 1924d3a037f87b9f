import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { ZoneFilesController } from './zone-files.controller.js';

/** The DNS records of sending domains as files. */
@Module({ imports: [ServiceClientModule], controllers: [ZoneFilesController] })
export class ZoneFilesModule {}
