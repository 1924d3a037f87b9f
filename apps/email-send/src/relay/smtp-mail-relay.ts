import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type HandOver, HandOverWindow, type RelayedResult, RelaySet, TOO_LATE } from '@postern/mail';
import { inSpan } from '@postern/messaging';
import { CONFIG, DatabaseClock, type DatabaseTime, Metrics } from '@postern/service-host';
import type { CopyAnswer, HandOverAnswer } from './hand-over.js';
import { type MailCopy, MailRelay } from './ports.js';

/** The part of a relay set that is used here. */
export type Relays = Pick<RelaySet, 'handOver' | 'probe' | 'smtpUtf8Offered' | 'close'>;

export interface RelayPolicy {
  /** A 250 of the relays means delivery. */
  readonly relayIsFinal: boolean;
  /** Longest wait for the answer to one copy (25,000). The gateway waits for 30,000 ms. */
  readonly handOverDeadlineMs?: number;
}

const HAND_OVER_DEADLINE_MS = 25_000;

/** Time kept back for recording the outcome and answering the client. */
const RECORDING_MS = 2_000;
/** The data of a copy is not sent with less time than this left for the relay's answer. */
const RELAY_NEEDS_MS = 1_000;

/** Hands copies to the upstream relays, one SMTP transaction each, with delivery notifications (RFC 3461). */
@Injectable()
export class SmtpMailRelay extends MailRelay implements OnApplicationShutdown {
  constructor(
    @Inject(RelaySet) private readonly relays: Relays,
    @Inject(CONFIG) private readonly policy: RelayPolicy,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {
    super();
  }

  async handOver(copy: MailCopy, answerBy?: Date): Promise<HandOverAnswer> {
    const { handOverDeadlineMs = HAND_OVER_DEADLINE_MS } = this.policy;
    const remainingMs = answerBy ? answerBy.getTime() - this.clock.now().getTime() : Infinity;
    const limitMs = Math.min(handOverDeadlineMs, remainingMs - RECORDING_MS);
    const window = new HandOverWindow(performance.now() + limitMs - RELAY_NEEDS_MS);
    if (window.remainingMs === 0) return this.#answer('unreachable', TOO_LATE, null);
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), limitMs);
    const handingOver = this.relays.handOver({ ...handOverOf(copy), window });
    const result = await Promise.race([handingOver, late]);
    clearTimeout(timer);
    if (result) return this.#answerOf(result);
    if (window.close()) return this.#answer('unreachable', TOO_LATE, null);
    // The relay may still accept the copy, and says so when it has filtered it.
    const unknown = this.#answer('unknown', `no answer within ${Math.round(limitMs / 1000)} s`, null);
    return { ...unknown, later: handingOver.then(given => this.#answerOf(given)) };
  }

  async offersSmtpUtf8(): Promise<boolean> {
    if (this.relays.smtpUtf8Offered) return true;
    // The extensions of a relay are known only after a connection to it.
    const probes = await this.relays.probe();
    return probes.some(probe => probe.ok && probe.smtpUtf8Offered);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relays.close();
  }

  #answerOf(result: RelayedResult): CopyAnswer {
    switch (result.kind) {
      case 'accepted':
        return this.#answer('accepted', result.reply.response, result.relay);
      case 'refused':
      case 'deferred':
        return this.#answer(result.kind, result.refused[0]?.response ?? result.reply.response, result.relay);
      case 'unreachable':
      case 'unknown':
        return this.#answer(result.kind, result.reason, result.relay);
    }
  }

  #answer(result: CopyAnswer['result'], response: string, relay: string | null): CopyAnswer {
    return {
      result,
      response: storable(response),
      relay,
      relayIsFinal: result === 'accepted' && this.policy.relayIsFinal,
    };
  }
}

/** Relay responses are stored in events, which accept neither lone surrogates nor control characters. */
function storable(response: string): string {
  return response.toWellFormed().replace(/[\x00-\x1f\x7f]+/g, ' ');
}

function handOverOf({ returnPath, recipient, bytes, envelopeId, workspaceId, needsSmtpUtf8 }: MailCopy): HandOver {
  return {
    ...(workspaceId === undefined ? {} : { owner: workspaceId }),
    from: returnPath,
    recipients: [{ address: recipient, orcpt: recipient }],
    bytes,
    dsn: { notify: ['SUCCESS', 'FAILURE', 'DELAY'], ret: 'HDRS', envid: envelopeId },
    smtpUtf8: needsSmtpUtf8,
  };
}

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
