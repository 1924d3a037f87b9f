import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { HandOver, RelayedResult, RelaySet } from '@postern/mail';
import type { MailCopy } from '../../domain/email-copies.js';
import type { CopyAnswer } from '../../domain/hand-over.js';
import { MailRelay } from '../../ports.js';

/** What of a relay set is used here. */
export type Relays = Pick<RelaySet, 'handOver' | 'probe' | 'smtpUtf8Offered' | 'close'>;

export interface RelayPolicy {
  /** The operator says that the 250 of our relays is delivery. */
  readonly relayIsFinal: boolean;
  /** Longest wait for the answer to one copy; the caller's own deadline has to be longer. */
  readonly deadlineMs: number;
}

/** Hands copies over to the upstream relays, one SMTP transaction each, asking for notifications (RFC 3461). */
@Injectable()
export class SmtpMailRelay extends MailRelay implements OnApplicationShutdown {
  constructor(
    private readonly relays: Relays,
    private readonly policy: RelayPolicy,
  ) {
    super();
  }

  async handOver(copy: MailCopy): Promise<CopyAnswer> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), this.policy.deadlineMs);
    const result = await Promise.race([this.relays.handOver(handOverOf(copy)), late]);
    clearTimeout(timer);
    // It may still be taken: nobody can say that it was not.
    if (!result) return this.#answer('unknown', `no answer within ${this.policy.deadlineMs / 1000} s`, null);
    return this.#answerOf(result);
  }

  async offersSmtpUtf8(): Promise<boolean> {
    if (this.relays.smtpUtf8Offered) return true;
    // What a relay offers is known only once it was spoken to.
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

/** What a relay says goes into events; a cut surrogate or a control character would not. */
function storable(response: string): string {
  return response.toWellFormed().replace(/[\x00-\x1f\x7f]+/g, ' ');
}

function handOverOf({ returnPath, recipient, bytes, envelopeId, needsSmtpUtf8 }: MailCopy): HandOver {
  return {
    from: returnPath,
    recipients: [{ address: recipient, orcpt: recipient }],
    bytes,
    dsn: { notify: ['SUCCESS', 'FAILURE', 'DELAY'], ret: 'HDRS', envid: envelopeId },
    smtpUtf8: needsSmtpUtf8,
  };
}
