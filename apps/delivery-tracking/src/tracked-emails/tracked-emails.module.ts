import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Inbox } from '@postern/event-sourcing/postgres';
import { CONFIG, Tasks } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
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

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The tracked email, everything that is recorded about it, and the deadlines of both. */
@Module({
  imports: [eventSourcing, prisma],
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
export class TrackedEmailsModule implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly missed: MarkMissedNotifications,
    private readonly unmatched: DropUnmatchedSignals,
    private readonly notices: DropBounceNotices,
    private readonly inbox: Inbox,
    @Inject(CONFIG) private readonly config: DeliveryTrackingConfig,
  ) {}

  onApplicationBootstrap(): void {
    const { sweepIntervalMs } = this.config;
    this.tasks.every(sweepIntervalMs, 'mark missed notifications', () => this.missed.execute(new Date()));
    this.tasks.every(sweepIntervalMs, 'drop unmatched signals', () => this.unmatched.execute(new Date()));
    this.tasks.every(HOUR_MS, 'drop old bounce notices', () => this.notices.execute(new Date()));
    this.tasks.every(DAY_MS, 'purge the inbox', () => this.inbox.purge());
  }
}
