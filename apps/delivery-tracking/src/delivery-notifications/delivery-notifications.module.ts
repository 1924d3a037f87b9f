import { Module } from '@nestjs/common';
import { TrackingTokens } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { TrackedEmailsModule } from '../tracked-emails/tracked-emails.module.js';
import { AuthorSignatures } from './author-signatures.js';
import { BounceListener } from './bounce-listener.js';
import { ComplaintEvidence } from './complaint-evidence.js';
import { DomainReports } from './domain-reports.js';
import { MessageIds } from './message-ids.js';
import { ReceiveDomainReports } from './receive-domain-reports.js';
import { ReceiveReport } from './receive-report.js';
import { RecordProviderEvents } from './record-provider-events.js';
import { ReportMetrics } from './report-metrics.js';
import { ReportedCopies } from './reported-copies.js';
import { ReturnPathProbes } from './return-path-probes.js';

/** Delivery status notifications, feedback reports and reports about domains, received over SMTP; and events of mail providers. */
@Module({
  imports: [TrackedEmailsModule],
  providers: [
    BounceListener,
    ReceiveReport,
    ReportedCopies,
    ReceiveDomainReports,
    RecordProviderEvents,
    MessageIds,
    DomainReports,
    AuthorSignatures,
    ReturnPathProbes,
    ComplaintEvidence,
    ReportMetrics,
    {
      provide: TrackingTokens,
      inject: [CONFIG],
      useFactory: ({ linkSecrets }: DeliveryTrackingConfig) => TrackingTokens.fromSecrets(linkSecrets),
    },
  ],
})
export class DeliveryNotificationsModule {}
