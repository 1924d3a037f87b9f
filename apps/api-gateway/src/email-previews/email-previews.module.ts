import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { EmailPreviewsController } from './email-previews.controller.js';

/** The HTML of messages as documents, for a frame of the dashboard. */
@Module({ imports: [ServiceClientModule], controllers: [EmailPreviewsController] })
export class EmailPreviewsModule {}
