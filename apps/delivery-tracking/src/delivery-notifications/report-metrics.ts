import { Injectable } from '@nestjs/common';
import { Metrics } from '@postern/service-host';
import type { IgnoredReportCause } from './ports.js';

/** Counts inbound mail in the metrics of the process. */
@Injectable()
export class ReportMetrics {
  readonly #received;
  readonly #ignored;
  readonly #refused;

  constructor(metrics: Metrics) {
    const meter = metrics.meter('postern.delivery_tracking');
    this.#received = meter.createCounter('postern.tracking.reports.received', {
      description: 'Mail to return paths and mailboxes, by the kind of report',
    });
    this.#ignored = meter.createCounter('postern.tracking.reports.ignored', {
      description: 'Reports without effect, by cause',
    });
    this.#refused = meter.createCounter('postern.tracking.mail.refused', {
      description: 'Mail that the bounce listener refused, by cause',
    });
    // Prometheus sees no increase in a counter that appears with its first value, so counters start at zero.
    this.#ignored.add(0, { cause: 'forged_return_path' });
    this.#refused.add(0, { cause: 'unknown_mailbox' });
  }

  ignored(cause: IgnoredReportCause): void {
    this.#ignored.add(1, { cause });
  }

  /** Counts mail by its recognized kind and form, stored domain reports, and events of mail providers. */
  received(kind: string, form: string): void {
    this.#received.add(1, { kind, form });
  }

  /** Counts mail rejected during the SMTP conversation. */
  refusedMail(cause: string): void {
    this.#refused.add(1, { cause });
  }
}
