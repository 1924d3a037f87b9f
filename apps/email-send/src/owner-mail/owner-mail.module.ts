import { Module } from '@nestjs/common';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { ProblemsModule } from '../problems/problems.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { MailAboutLogDrain } from './mail-about-log-drain.js';
import { MailAboutWebhook } from './mail-about-webhook.js';
import { MailOwnerEvents } from './mail-owner-events.js';
import { MailWorkspaceStatus } from './mail-workspace-status.js';
import { NatsOwnerFacts } from './nats-owner-facts.js';
import { NatsOwnerNotifications } from './nats-owner-notifications.js';
import { OwnerMailer } from './owner-mailer.js';
import { OwnerFacts, OwnerMailClaims, OwnerNotifications } from './ports.js';
import { PostgresOwnerMailClaims } from './postgres-owner-mail-claims.js';

/** Mail to the owners of a workspace about failures, webhooks, log drains, and what needs somebody. */
@Module({
  imports: [PostgresModule, SystemMailModule, EmailServicesModule, ProblemsModule],
  providers: [
    MailOwnerEvents,
    MailAboutWebhook,
    MailAboutLogDrain,
    MailWorkspaceStatus,
    OwnerMailer,
    { provide: OwnerFacts, useClass: NatsOwnerFacts },
    { provide: OwnerNotifications, useClass: NatsOwnerNotifications },
    { provide: OwnerMailClaims, useClass: PostgresOwnerMailClaims },
  ],
})
export class OwnerMailModule {}
