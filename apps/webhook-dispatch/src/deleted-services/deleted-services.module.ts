import { Module } from '@nestjs/common';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { DeletedServiceData } from './deleted-service-data.js';

/** Stops the webhooks of deleted email services and deletes their data. */
@Module({ imports: [WebhooksModule], providers: [DeletedServiceData] })
export class DeletedServicesModule {}
