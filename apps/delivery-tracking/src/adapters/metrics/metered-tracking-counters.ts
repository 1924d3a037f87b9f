import { Injectable } from '@nestjs/common';
import { Metrics } from '@postern/service-host';
import { type ReportCause, type SignalFate, type ToldSignal, TrackingCounters } from '../../ports.js';

/** Counts in the process's metrics. */
@Injectable()
export class MeteredTrackingCounters extends TrackingCounters {
  readonly #signals;
  readonly #reports;
  readonly #refused;
  readonly #dropped;

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
  }

  override signal(kind: ToldSignal['signal']['kind'], fate: SignalFate): void {
    this.#signals.add(1, { kind, fate: fate.kind });
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
