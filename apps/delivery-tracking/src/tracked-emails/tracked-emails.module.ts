import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { BounceNotices } from './bounce-notices.js';
import { DropBounceNotices } from './drop-bounce-notices.js';
import { DropUnmatchedSignals } from './drop-unmatched-signals.js';
import { EmailSignals } from './email-signals.js';
import { MarkMissedNotifications } from './mark-missed-notifications.js';
import { OpenTelemetrySignalMetrics } from './open-telemetry-signal-metrics.js';
import { SignalMetrics, TrackingTransactions } from './ports.js';
import { PostgresTrackingTransactions } from './postgres-tracking-transactions.js';
import { ReclassifyBounces } from './reclassify-bounces.js';
import { RecordSignals } from './record-signals.js';
import { TrackEmails } from './track-emails.js';

/** The tracked email, everything that is recorded about it, and the deadlines of both. */
@Module({
  imports: [prisma],
  providers: [
    RecordSignals,
    EmailSignals,
    BounceNotices,
    TrackEmails,
    MarkMissedNotifications,
    DropUnmatchedSignals,
    DropBounceNotices,
    ReclassifyBounces,
    { provide: TrackingTransactions, useClass: PostgresTrackingTransactions },
    { provide: SignalMetrics, useClass: OpenTelemetrySignalMetrics },
  ],
  exports: [EmailSignals, TrackingTransactions],
})
export class TrackedEmailsModule {}
