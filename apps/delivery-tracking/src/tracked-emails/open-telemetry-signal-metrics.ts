import { Injectable } from '@nestjs/common';
import { Metrics } from '@postern/service-host';
import { type ReceivedSignal, SignalMetrics, type SignalOutcome, type TrackingEvent } from './ports.js';

/** The counters of public events; bounces have their own, by type. */
const EVENT_COUNTERS = new Map<TrackingEvent['type'], { readonly name: string; readonly description: string }>([
  ['delivery-tracking.email-delivered.v1', { name: 'delivered', description: 'Copies delivered' }],
  ['delivery-tracking.email-complained.v1', { name: 'complained', description: 'Copies complained about' }],
  ['delivery-tracking.email-opened.v1', { name: 'opened', description: 'Copies opened' }],
  ['delivery-tracking.email-clicked.v1', { name: 'clicked', description: 'Links of copies followed' }],
]);

/** Counts signals and events in the metrics of the process. */
@Injectable()
export class OpenTelemetrySignalMetrics extends SignalMetrics {
  readonly #signals;
  readonly #dropped;
  readonly #bounced;
  readonly #events;

  constructor(metrics: Metrics) {
    super();
    const meter = metrics.meter('postern.delivery_tracking');
    this.#signals = meter.createCounter('postern.tracking.signals', {
      description: 'Signals received, by kind and outcome',
    });
    this.#dropped = meter.createCounter('postern.tracking.signals.dropped', {
      description: 'Signals whose email never became known, by kind',
    });
    const emails = metrics.meter('postern.emails');
    this.#bounced = emails.createCounter('postern.emails.bounced', { description: 'Copies bounced, by type' });
    this.#events = new Map(
      [...EVENT_COUNTERS].map(([type, { name, description }]) => [
        type,
        emails.createCounter(`postern.emails.${name}`, { description }),
      ]),
    );
    // Prometheus sees no increase in a counter that appears with its first value, so counters start at zero.
    for (const type of ['hard', 'soft']) this.#bounced.add(0, { type });
    for (const counter of this.#events.values()) counter.add(0);
  }

  override signal(kind: ReceivedSignal['signal']['kind'], outcome: SignalOutcome): void {
    this.#signals.add(1, { kind, fate: outcome.kind });
  }

  override recorded(event: TrackingEvent): void {
    if (event.type === 'delivery-tracking.email-bounced.v1')
      this.#bounced.add(1, { type: event.data.data.bounce_type });
    else this.#events.get(event.type)?.add(1);
  }

  override dropped(kind: string, count: number): void {
    this.#dropped.add(count, { kind });
  }
}
