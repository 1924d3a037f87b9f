import { Module } from '@nestjs/common';
import { DeletedServicesModule } from './deleted-services/deleted-services.module.js';
import { DeliveryNotificationsModule } from './delivery-notifications/delivery-notifications.module.js';
import { EngagementModule } from './engagement/engagement.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { operations } from './operations/operations.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TrackedEmailsModule } from './tracked-emails/tracked-emails.module.js';

/** The delivery history of each message, per recipient. */
@Module({
  imports: [
    TrackedEmailsModule,
    DeliveryNotificationsModule,
    EngagementModule,
    SuppressionsModule,
    MessagesModule,
    StatisticsModule,
    DeletedServicesModule,
    operations,
  ],
})
export class DeliveryTrackingModule {}
