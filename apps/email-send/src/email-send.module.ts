import { Module } from '@nestjs/common';
import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { EventSourcingModule } from '@postern/service-host';
import { AccountMailModule } from './account-mail/account-mail.module.js';
import { administration } from './administration.projection.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { CodeOptOutsModule } from './code-opt-outs/code-opt-outs.module.js';
import { DeferredCopiesModule } from './deferred-copies/deferred-copies.module.js';
import { DomainReportsModule } from './domain-reports/domain-reports.module.js';
import { EmailContentModule } from './email-content/email-content.module.js';
import { EmailServicesModule } from './email-services/email-services.module.js';
import { EmailsModule } from './emails/emails.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { InterruptedEmailsModule } from './interrupted-emails/interrupted-emails.module.js';
import { EmailOperationsModule } from './operations/operations.module.js';
import { OwnerMailModule } from './owner-mail/owner-mail.module.js';
import { ProblemsModule } from './problems/problems.module.js';
import { ProviderEndpointsModule } from './provider-endpoints/provider-endpoints.module.js';
import { RequestLogModule } from './request-log/request-log.module.js';
import { ResourceNamesModule } from './resource-names/resource-names.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { ScheduledEmailsModule } from './scheduled-emails/scheduled-emails.module.js';
import { SendingDomainsModule } from './sending-domains/sending-domains.module.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { VerifiedRecipientsModule } from './verified-recipients/verified-recipients.module.js';

/** The features of email-send, and the event store and read models that they share. */
@Module({
  imports: [
    EventSourcingModule.forService({
      service: 'email-send',
      events: EMAIL_SEND_EVENTS,
      projections: [administration],
      readYourWrites: administration,
    }),
    EmailServicesModule,
    ApiKeysModule,
    SendingDomainsModule,
    DomainReportsModule,
    VerifiedRecipientsModule,
    CodeOptOutsModule,
    TemplatesModule,
    EmailsModule,
    EmailContentModule,
    ScheduledEmailsModule,
    DeferredCopiesModule,
    InterruptedEmailsModule,
    SuppressionsModule,
    RetentionModule,
    ErasuresModule,
    AccountMailModule,
    OwnerMailModule,
    ProblemsModule,
    ProviderEndpointsModule,
    RequestLogModule,
    ResourceNamesModule,
    EmailOperationsModule,
  ],
})
export class EmailSendModule {}
