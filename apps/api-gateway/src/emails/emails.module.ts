import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { EmailBatchesController } from './email-batches.controller.js';
import { EmailsController } from './emails.controller.js';
import { ScheduledEmailsController } from './scheduled-emails.controller.js';
import { WebhookListenersController } from './webhook-listeners.controller.js';

@Module({
  imports: [ServiceClientModule],
  controllers: [EmailsController, EmailBatchesController, ScheduledEmailsController, WebhookListenersController],
})
export class EmailsModule {}
