import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { DropBounceNotices } from './drop-bounce-notices.js';
import { DropUnmatchedSignals } from './drop-unmatched-signals.js';
import { GroupedSignals } from './grouped-signals.js';
import { MarkMissedNotifications } from './mark-missed-notifications.js';
import { OpenTelemetrySignalMetrics } from './open-telemetry-signal-metrics.js';
import {
  BounceNotices,
  EmailSignals,
  OldBounceNotices,
  OverdueEmails,
  SignalMetrics,
  TrackingTransactions,
  WaitingSignals,
} from './ports.js';
import { PostgresBounceNotices, PostgresOldBounceNotices } from './postgres-bounce-notices.js';
import { PostgresOverdueEmails } from './postgres-overdue-emails.js';
import { PostgresTrackingTransactions } from './postgres-tracking-transactions.js';
import { PostgresWaitingSignals } from './postgres-waiting-signals.js';
import { ReclassifyBounces } from './reclassify-bounces.js';
import { RecordSignals } from './record-signals.js';
import { TrackEmails } from './track-emails.js';

/** The tracked email, everything that is recorded about it, and the deadlines of both. */
@Module({
  imports: [prisma],
  providers: [
    RecordSignals,
    TrackEmails,
    MarkMissedNotifications,
    DropUnmatchedSignals,
    DropBounceNotices,
    ReclassifyBounces,
    { provide: BounceNotices, useClass: PostgresBounceNotices },
    { provide: OldBounceNotices, useClass: PostgresOldBounceNotices },
    { provide: EmailSignals, useClass: GroupedSignals },
    { provide: TrackingTransactions, useClass: PostgresTrackingTransactions },
    { provide: WaitingSignals, useClass: PostgresWaitingSignals },
    { provide: OverdueEmails, useClass: PostgresOverdueEmails },
    { provide: SignalMetrics, useClass: OpenTelemetrySignalMetrics },
  ],
  exports: [EmailSignals, TrackingTransactions],
})
export class TrackedEmailsModule {}
