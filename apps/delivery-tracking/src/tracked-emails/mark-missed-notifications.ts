import { Injectable } from '@nestjs/common';
import { RecordSignals } from './record-signals.js';
import { signalMetadata } from './signal-metadata.js';
import { OverdueEmails, TrackingCounters, WaitingSignals } from './ports.js';

const MOST_AT_ONCE = 200;

/** How long is waited for what may never come. */
export abstract class Patience {
  abstract readonly notificationMs: number;
  abstract readonly signalMs: number;
}

/** Nothing waits for ever: a copy of which nobody tells gets a visible end, and so does a signal without an email. */
@Injectable()
export class GiveUpWaiting {
  constructor(
    private readonly overdue: OverdueEmails,
    private readonly waiting: WaitingSignals,
    private readonly signals: RecordSignals,
    private readonly counters: TrackingCounters,
    private readonly patience: Patience,
  ) {}

  /** Answers how many emails were given up on. */
  async forNotifications(now: Date): Promise<number> {
    const emailIds = await this.overdue.find(new Date(now.getTime() - this.patience.notificationMs), MOST_AT_ONCE);
    const metadata = signalMetadata('delivery-tracking');
    const at = now.toISOString();
    await this.signals.execute(
      emailIds.map(emailId => ({ emailId, signal: { kind: 'deadline_passed', at }, metadata })),
    );
    return emailIds.length;
  }

  /** Drops signals whose email never came; counted by kind. */
  async forEmails(now: Date): Promise<void> {
    const dropped = await this.waiting.dropOlderThan(new Date(now.getTime() - this.patience.signalMs));
    for (const [kind, count] of dropped) this.counters.droppedWaiting(kind, count);
  }
}
