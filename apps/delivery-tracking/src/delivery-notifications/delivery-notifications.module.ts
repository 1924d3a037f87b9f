import { Module } from '@nestjs/common';
import { TrackingTokens } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { TrackedEmailsModule } from '../tracked-emails/tracked-emails.module.js';
import { BounceListener } from './bounce-listener.js';
import { DkimAuthorSignatures } from './dkim-author-signatures.js';
import { DkimComplaintEvidence } from './dkim-complaint-evidence.js';
import { NatsDomainReports } from './nats-domain-reports.js';
import { NatsReturnPathProbes } from './nats-return-path-probes.js';
import { OpenTelemetryReportMetrics } from './open-telemetry-report-metrics.js';
import { AuthorSignatures, ComplaintEvidence, DomainReports, ReportMetrics, ReturnPathProbes } from './ports.js';
import { ReceiveDomainReports } from './receive-domain-reports.js';
import { ReceiveReport } from './receive-report.js';
import { ReportedCopies } from './reported-copies.js';

/** Delivery status notifications, feedback reports and reports about domains, received over SMTP. */
@Module({
  imports: [TrackedEmailsModule],
  providers: [
    BounceListener,
    ReceiveReport,
    ReportedCopies,
    ReceiveDomainReports,
    { provide: DomainReports, useClass: NatsDomainReports },
    { provide: AuthorSignatures, useClass: DkimAuthorSignatures },
    { provide: ReturnPathProbes, useClass: NatsReturnPathProbes },
    { provide: ComplaintEvidence, useClass: DkimComplaintEvidence },
    { provide: ReportMetrics, useClass: OpenTelemetryReportMetrics },
    {
      provide: TrackingTokens,
      inject: [CONFIG],
      useFactory: ({ linkSecrets }: DeliveryTrackingConfig) => TrackingTokens.fromSecrets(linkSecrets),
    },
  ],
})
export class DeliveryNotificationsModule {}
