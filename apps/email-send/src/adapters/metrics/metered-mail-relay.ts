import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Metrics } from '@postern/service-host';
import type { MailCopy } from '../../domain/email-copies.js';
import type { CopyAnswer } from '../../domain/hand-over.js';
import { MailRelay } from '../../ports.js';

/** Counts and times what the relays make of our copies. */
@Injectable()
export class MeteredMailRelay extends MailRelay implements OnApplicationShutdown {
  readonly #answers;
  readonly #durations;

  constructor(
    private readonly relay: MailRelay & OnApplicationShutdown,
    metrics: Metrics,
  ) {
    super();
    const meter = metrics.meter('postern.emails');
    this.#answers = meter.createCounter('postern.emails.copies', { description: 'Copies handed over, by result.' });
    this.#durations = meter.createHistogram('postern.emails.hand_over', {
      description: 'Time until a relay answered for a copy, the wait for a connection included.',
      unit: 'ms',
    });
  }

  async handOver(copy: MailCopy): Promise<CopyAnswer> {
    const began = performance.now();
    const answer = await this.relay.handOver(copy);
    this.#answers.add(1, { result: answer.result });
    this.#durations.record(performance.now() - began);
    return answer;
  }

  offersSmtpUtf8(): Promise<boolean> {
    return this.relay.offersSmtpUtf8();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relay.onApplicationShutdown();
  }
}
