import { Injectable } from '@nestjs/common';
import { inSpan } from '@postern/messaging';
import { Metrics } from '@postern/service-host';
import type { HandOverAnswer } from './hand-over.js';
import type { MailCopy } from './ports.js';
import { MailRelay } from './ports.js';
import { SmtpMailRelay } from './smtp-mail-relay.js';

/** Measures and traces the hand-over of copies. */
@Injectable()
export class InstrumentedMailRelay extends MailRelay {
  readonly #durations;

  constructor(
    private readonly relay: SmtpMailRelay,
    metrics: Metrics,
  ) {
    super();
    this.#durations = metrics.meter('postern.emails').createHistogram('postern.emails.hand_over.duration', {
      description: 'Time until a relay responded for a copy, including the wait for a connection',
      unit: 's',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25] },
    });
  }

  async handOver(copy: MailCopy, answerBy?: Date): Promise<HandOverAnswer> {
    const startedAt = performance.now();
    const answer = await inSpan('hand over copy', { kind: 'client' }, async span => {
      const given = await this.relay.handOver(copy, answerBy);
      span?.annotate({ 'postern.copy.result': given.result, 'server.address': given.relay ?? undefined });
      return given;
    });
    this.#durations.record((performance.now() - startedAt) / 1_000, { result: answer.result });
    return answer;
  }

  offersSmtpUtf8(): Promise<boolean> {
    return this.relay.offersSmtpUtf8();
  }
}
