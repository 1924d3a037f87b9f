import { Module } from '@nestjs/common';
import { DELIVERY_TRACKING_EVENTS } from '@postern/contracts';
import { EventSourcingModule } from '@postern/service-host';
import { BounceRulesModule } from './bounce-rules/bounce-rules.module.js';
import { DeletedServicesModule } from './deleted-services/deleted-services.module.js';
import { DeliveryNotificationsModule } from './delivery-notifications/delivery-notifications.module.js';
import { EngagementModule } from './engagement/engagement.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { operations } from './operations/operations.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { suppressedAddresses } from './suppressions/suppressed-addresses.projection.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TrackedEmailsModule } from './tracked-emails/tracked-emails.module.js';
import { trackedEmails } from './tracked-emails/tracked-emails.projection.js';

/** The delivery history of each message, per recipient. */
@Module({
  imports: [
    EventSourcingModule.forService({
      service: 'delivery-tracking',
      events: DELIVERY_TRACKING_EVENTS,
      projections: [trackedEmails, suppressedAddresses],
      readYourWrites: suppressedAddresses,
    }),
    TrackedEmailsModule,
    DeliveryNotificationsModule,
    EngagementModule,
    SuppressionsModule,
    BounceRulesModule,
    MessagesModule,
    StatisticsModule,
    DeletedServicesModule,
    RetentionModule,
    operations,
  ],
})
export class DeliveryTrackingModule {}
