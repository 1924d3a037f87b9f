import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Inbox } from '@postern/event-sourcing/postgres';
import { CONFIG, Tasks } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { DropUnmatchedSignals } from './drop-unmatched-signals.js';
import { GroupedSignals } from './grouped-signals.js';
import { MarkMissedNotifications } from './mark-missed-notifications.js';
import { OpenTelemetrySignalMetrics } from './open-telemetry-signal-metrics.js';
import { EmailSignals, OverdueEmails, SignalMetrics, TrackingTransactions, WaitingSignals } from './ports.js';
import { PostgresOverdueEmails } from './postgres-overdue-emails.js';
import { PostgresTrackingTransactions } from './postgres-tracking-transactions.js';
import { PostgresWaitingSignals } from './postgres-waiting-signals.js';
import { RecordSignals } from './record-signals.js';
import { TrackEmails } from './track-emails.js';

const DAY_MS = 86_400_000;

/** The tracked email, everything that is recorded about it, and the deadlines of both. */
@Module({
  imports: [eventSourcing, prisma],
  providers: [
    RecordSignals,
    TrackEmails,
    MarkMissedNotifications,
    DropUnmatchedSignals,
    { provide: EmailSignals, useClass: GroupedSignals },
    { provide: TrackingTransactions, useClass: PostgresTrackingTransactions },
    { provide: WaitingSignals, useClass: PostgresWaitingSignals },
    { provide: OverdueEmails, useClass: PostgresOverdueEmails },
    { provide: SignalMetrics, useClass: OpenTelemetrySignalMetrics },
  ],
  exports: [EmailSignals],
})
export class TrackedEmailsModule implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly missed: MarkMissedNotifications,
    private readonly unmatched: DropUnmatchedSignals,
    private readonly inbox: Inbox,
    @Inject(CONFIG) private readonly config: DeliveryTrackingConfig,
  ) {}

  onApplicationBootstrap(): void {
    const { sweepIntervalMs } = this.config;
    this.tasks.every(sweepIntervalMs, 'mark missed notifications', () => this.missed.execute(new Date()));
    this.tasks.every(sweepIntervalMs, 'drop unmatched signals', () => this.unmatched.execute(new Date()));
    this.tasks.every(DAY_MS, 'purge the inbox', () => this.inbox.purge());
  }
}
