import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import {
  InMemoryTrackingTransactions,
  NoSignalMetrics,
  TrackingMemory,
} from '../../../apps/delivery-tracking/src/testing/in-memory-tracking-transactions.js';
import { RecordSignals } from '../../../apps/delivery-tracking/src/tracked-emails/record-signals.js';
import type { Signal } from '../../../apps/delivery-tracking/src/tracked-emails/signal.js';
import { type EmailEvent, TrackEmails } from '../../../apps/delivery-tracking/src/tracked-emails/track-emails.js';
import { EventLog, envelopeOf, Subscription } from './event-log.js';
import type { RelayedCopy } from './mail-world.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

const PUBLISHED: ReadonlySet<string> = new Set(EMAIL_SEND_EVENTS.map(({ type }) => type));

/** delivery-tracking: consumes email-send's log and receives the reports of the mail world. */
export class Tracking {
  readonly log: EventLog;
  readonly database: TrackingMemory;
  readonly #emails: Subscription;

  constructor(
    private readonly world: World,
    sent: EventLog,
  ) {
    this.log = new EventLog(() => world.newId());
    this.database = new TrackingMemory(this.log);
    this.#emails = new Subscription(sent, ({ type }) => PUBLISHED.has(type), world.random);
  }

  get isBusy(): boolean {
    return this.#emails.behind > 0;
  }

  async followEmails(): Promise<void> {
    await this.#emails.deliver(batch =>
      this.world.attempt('delivery-tracking', process => {
        const envelopes = batch.map(event => envelopeOf(event, this.world.timestamp()));
        return new TrackEmails(this.#signals(process)).on(envelopes as unknown as readonly EmailEvent[]);
      }),
    );
  }

  /** The receiving server repeats a report until it is acknowledged. */
  async takeReport(copy: RelayedCopy): Promise<void> {
    copy.reported = await this.world.attempt('delivery-tracking', process => {
      const metadata = { correlationId: this.world.newId() };
      return this.#signals(process).execute([{ emailId: copy.emailId, signal: this.#signalOf(copy), metadata }]);
    });
  }

  /** Each step of a transaction is a separate port call, so that a fault can occur between any two. */
  #signals(process: SimulatedProcess): RecordSignals {
    const transactions = new InMemoryTrackingTransactions(this.database, (step, work) => process.call(step, work));
    return new RecordSignals(transactions, new NoSignalMetrics());
  }

  #signalOf({ address, recipientIndex: index, outcome }: RelayedCopy): Signal {
    const at = this.world.timestamp();
    if (outcome === 'complained') return { kind: 'complained', index, source: 'abuse', at };
    const status =
      outcome === 'delivered'
        ? ({ action: 'relayed', response: '250 2.0.0 stored', bounceType: 'soft' } as const)
        : ({ action: 'failed', response: '550 5.1.1 no such user', bounceType: 'hard' } as const);
    return { kind: 'notified', index, status: { ...status, addresses: [address] }, at };
  }
}
