import { Injectable } from '@nestjs/common';
import { Metrics } from '@postern/service-host';
import {
  type ReportCause,
  type SignalFate,
  type ToldSignal,
  TrackingCounters,
  type TrackingEvent,
} from '../../tracked-emails/ports.js';

/** What is told of a copy, by the event that tells it. */
const OUTCOMES = new Map<TrackingEvent['type'], { readonly name: string; readonly description: string }>([
  ['delivery-tracking.email-delivered.v1', { name: 'delivered', description: 'Copies delivered' }],
  ['delivery-tracking.email-complained.v1', { name: 'complained', description: 'Copies complained about' }],
  ['delivery-tracking.email-opened.v1', { name: 'opened', description: 'Copies opened' }],
  ['delivery-tracking.email-clicked.v1', { name: 'clicked', description: 'Links of copies followed' }],
]);

/** Counts in the process's metrics. */
@Injectable()
export class MeteredTrackingCounters extends TrackingCounters {
  readonly #signals;
  readonly #reports;
  readonly #refused;
  readonly #dropped;
  readonly #bounced;
  readonly #outcomes;

  constructor(metrics: Metrics) {
    super();
    const meter = metrics.meter('postern.delivery_tracking');
    this.#signals = meter.createCounter('postern.tracking.signals', { description: 'Signals taken, by kind and fate' });
    this.#reports = meter.createCounter('postern.tracking.reports.ignored', {
      description: 'Mail to return paths that changed nothing, by cause',
    });
    this.#refused = meter.createCounter('postern.tracking.mail.refused', {
      description: 'Mail that the bounce listener turned away, by cause',
    });
    this.#dropped = meter.createCounter('postern.tracking.signals.dropped', {
      description: 'Signals whose email never became known, by kind',
    });
    const emails = metrics.meter('postern.emails');
    this.#bounced = emails.createCounter('postern.emails.bounced', { description: 'Copies bounced, by type' });
    this.#outcomes = new Map(
      [...OUTCOMES].map(([type, { name, description }]) => [
        type,
        emails.createCounter(`postern.emails.${name}`, { description }),
      ]),
    );
    // A counter that begins with its first step has not risen, as Prometheus sees it.
    for (const type of ['hard', 'soft']) this.#bounced.add(0, { type });
    for (const counter of this.#outcomes.values()) counter.add(0);
    this.#reports.add(0, { cause: 'forged_return_path' });
    this.#refused.add(0, { cause: 'unknown_mailbox' });
  }

  override signal(kind: ToldSignal['signal']['kind'], fate: SignalFate): void {
    this.#signals.add(1, { kind, fate: fate.kind });
  }

  override recorded(event: TrackingEvent): void {
    if (event.type === 'delivery-tracking.email-bounced.v1')
      this.#bounced.add(1, { type: event.data.data.bounce_type });
    else this.#outcomes.get(event.type)?.add(1);
  }

  override ignoredReport(cause: ReportCause): void {
    this.#reports.add(1, { cause });
  }

  override refusedMail(cause: string): void {
    this.#refused.add(1, { cause });
  }

  override droppedWaiting(kind: string, count: number): void {
    this.#dropped.add(count, { kind });
  }
}
