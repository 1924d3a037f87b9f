import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { inSpan } from '@postern/messaging';
import type { Metrics } from '@postern/service-host';
import type { MailCopy } from '../../domain/email-copies.js';
import type { CopyAnswer } from '../../domain/hand-over.js';
import { MailRelay } from '../../ports.js';

/** Counts, times and traces what the relays make of our copies. */
@Injectable()
export class ObservedMailRelay extends MailRelay implements OnApplicationShutdown {
  readonly #durations;

  constructor(
    private readonly relay: MailRelay & OnApplicationShutdown,
    metrics: Metrics,
  ) {
    super();
    this.#durations = metrics.meter('postern.emails').createHistogram('postern.emails.hand_over.duration', {
      description: 'Time until a relay answered for a copy, the wait for a connection included',
      unit: 's',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25] },
    });
  }

  async handOver(copy: MailCopy, answerBy?: Date): Promise<CopyAnswer> {
    const began = performance.now();
    const answer = await inSpan('hand over copy', { kind: 'client' }, async span => {
      const given = await this.relay.handOver(copy, answerBy);
      span?.annotate({ 'postern.copy.result': given.result, 'server.address': given.relay ?? undefined });
      return given;
    });
    this.#durations.record((performance.now() - began) / 1_000, { result: answer.result });
    return answer;
  }

  offersSmtpUtf8(): Promise<boolean> {
    return this.relay.offersSmtpUtf8();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relay.onApplicationShutdown();
  }
}
