import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { RecordSignals } from '../../../apps/delivery-tracking/src/commands/record-signals.js';
import type { Signal } from '../../../apps/delivery-tracking/src/domain/signal.js';
import { type EmailEvent, FollowEmails } from '../../../apps/delivery-tracking/src/reactions/follow-emails.js';
import { NoTrackingCounters } from '../../../apps/delivery-tracking/src/testing/in-memory-tracking-transactions.js';
import { EventLog, envelopeOf, Subscription } from './event-log.js';
import type { RelayedCopy } from './mail-world.js';
import { SimulatedTrackingTransactions, TrackingDatabase } from './tracking-database.js';
import type { World } from './world.js';

const PUBLISHED: ReadonlySet<string> = new Set(EMAIL_SEND_EVENTS.map(({ type }) => type));

/** delivery-tracking: consumes the log of email-send and the reports of the mail world. */
export class Tracking {
  readonly log: EventLog;
  readonly database: TrackingDatabase;
  readonly #emails: Subscription;

  constructor(
    private readonly world: World,
    sent: EventLog,
  ) {
    this.log = new EventLog(() => world.newId());
    this.database = new TrackingDatabase(this.log);
    this.#emails = new Subscription(sent, ({ type }) => PUBLISHED.has(type), world.random);
  }

  get isBusy(): boolean {
    return this.#emails.behind > 0;
  }

  async followEmails(): Promise<void> {
    await this.#emails.deliver(batch =>
      this.world.attempt('delivery-tracking', process => {
        const signals = new RecordSignals(
          new SimulatedTrackingTransactions(this.database, process),
          new NoTrackingCounters(),
        );
        const envelopes = batch.map(event => envelopeOf(event, this.world.timestamp()));
        return new FollowEmails(signals).on(envelopes as unknown as readonly EmailEvent[]);
      }),
    );
  }

  /** The receiving server repeats a report until it is accepted. */
  async takeReport(copy: RelayedCopy): Promise<void> {
    copy.reported = await this.world.attempt('delivery-tracking', process => {
      const signals = new RecordSignals(
        new SimulatedTrackingTransactions(this.database, process),
        new NoTrackingCounters(),
      );
      const metadata = { correlationId: this.world.newId() };
      return signals.execute([{ emailId: copy.emailId, signal: this.#signalOf(copy), metadata }]);
    });
  }

  #signalOf({ address, recipientIndex: index, report }: RelayedCopy): Signal {
    const at = this.world.timestamp();
    if (report === 'complained') return { kind: 'complained', index, source: 'abuse', at };
    const status =
      report === 'delivered'
        ? ({ action: 'relayed', response: '250 2.0.0 stored', bounceType: 'soft' } as const)
        : ({ action: 'failed', response: '550 5.1.1 no such user', bounceType: 'hard' } as const);
    return { kind: 'notified', index, status: { ...status, addresses: [address] }, at };
  }
}
