import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type HandOver, HandOverWindow, type RelayedResult, type RelaySet, TOO_LATE } from '@postern/mail';
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

/** What recording the outcome and answering the client may take of the client's time. */
const RECORDING_MS = 2_000;
/** The data of a copy is not begun with less time than this for the relay's answer to it. */
const RELAY_NEEDS_MS = 1_000;

const remainingMs = (answerBy: Date | undefined): number => (answerBy ? answerBy.getTime() - Date.now() : Infinity);

/** Hands copies over to the upstream relays, one SMTP transaction each, asking for notifications (RFC 3461). */
@Injectable()
export class SmtpMailRelay extends MailRelay implements OnApplicationShutdown {
  constructor(
    private readonly relays: Relays,
    private readonly policy: RelayPolicy,
  ) {
    super();
  }

  async handOver(copy: MailCopy, answerBy?: Date): Promise<CopyAnswer> {
    const limitMs = Math.min(this.policy.deadlineMs, remainingMs(answerBy) - RECORDING_MS);
    const window = new HandOverWindow(Date.now() + limitMs - RELAY_NEEDS_MS);
    if (window.remainingMs === 0) return this.#answer('unreachable', TOO_LATE, null);
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), limitMs);
    const result = await Promise.race([this.relays.handOver({ ...handOverOf(copy), window }), late]);
    clearTimeout(timer);
    if (result) return this.#answerOf(result);
    if (window.close()) return this.#answer('unreachable', TOO_LATE, null);
    // It may still be taken: nobody can say that it was not.
    return this.#answer('unknown', `no answer within ${Math.round(limitMs / 1000)} s`, null);
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
