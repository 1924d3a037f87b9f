import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../accounts/quotas/quota-usage.module.js';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { OutboundModule } from '../infrastructure/outbound/outbound.module.js';
import { DeliverNotifications } from './deliver-notifications.js';
import { NotificationSender } from './notification-sender.js';
import { NotificationTargets } from './notification-targets.js';

/** Tells webhooks and chats of a workspace what its owners are mailed, and deployments that went live. */
@Module({
  imports: [EncryptionModule, OutboundModule, QuotaUsageModule],
  providers: [NotificationTargets, NotificationSender, DeliverNotifications],
})
export class NotificationsModule {}
