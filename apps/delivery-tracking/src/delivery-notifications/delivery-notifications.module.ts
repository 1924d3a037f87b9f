import { Module } from '@nestjs/common';
import { TrackingTokens } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { TrackedEmailsModule } from '../tracked-emails/tracked-emails.module.js';
import { BounceListener } from './bounce-listener.js';
import { DkimComplaintEvidence } from './dkim-complaint-evidence.js';
import { NatsReturnPathProbes } from './nats-return-path-probes.js';
import { OpenTelemetryReportMetrics } from './open-telemetry-report-metrics.js';
import { ComplaintEvidence, ReportMetrics, ReturnPathProbes } from './ports.js';
import { ReceiveReport } from './receive-report.js';

/** Delivery status notifications and feedback reports, received over SMTP. */
@Module({
  imports: [TrackedEmailsModule],
  providers: [
    BounceListener,
    ReceiveReport,
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
