import { TrackingTokens } from '@postern/mail';
import type { CopyAnswer } from '../../../apps/email-send/src/relay/hand-over.js';
import type { MailCopy } from '../../../apps/email-send/src/relay/ports.js';
import type { SignedRequest } from '../../../apps/webhook-dispatch/src/deliveries/ports.js';
import type { Fault } from './faults.js';
import type { Random } from './random.js';

export const TOKENS = TrackingTokens.fromSecrets(['a secret of the simulation that is long enough']);

export interface RelayedCopy {
  readonly emailId: string;
  readonly recipientIndex: number;
  readonly address: string;
  /** The outcome that the receiving server reports later. */
  readonly outcome: 'delivered' | 'bounced' | 'complained';
  reported: boolean;
}

const answer = (result: CopyAnswer['result'], response: string): CopyAnswer => ({
  result,
  response,
  relay: result === 'unreachable' ? null : 'relay.test',
  relayIsFinal: false,
});

/** The upstream relay and the systems behind it, with a record of copies that survives every crash of Postern. */
export class Relay {
  readonly copies: RelayedCopy[] = [];

  constructor(private readonly random: Random) {}

  async handOver({ envelopeId, recipient }: MailCopy): Promise<CopyAnswer> {
    const chance = this.random.next();
    if (chance < 0.06) return answer('refused', '550 5.1.1 no such user');
    if (chance < 0.14) return answer('deferred', '451 4.3.0 try again later');
    if (chance < 0.18) return answer('unreachable', 'connection refused');
    const [emailId = '', index] = envelopeId.split('.');
    this.copies.push({
      emailId,
      recipientIndex: Number(index),
      address: recipient,
      outcome: this.random.pick(['delivered', 'delivered', 'bounced', 'complained']),
      reported: false,
    });
    return answer('accepted', '250 2.0.0 queued');
  }

  async offersSmtpUtf8(): Promise<boolean> {
    return true;
  }

  /** The port never throws: a connection that fails before the message is `unreachable`, after it `unknown`. */
  static readonly failure = (fault: Fault): CopyAnswer =>
    fault === 'fails_before'
      ? answer('unreachable', 'connection reset')
      : answer('unknown', 'the connection ended before the answer');
}

/** The customers' endpoints, with a record of every received call. */
export class Receivers {
  /** `<url> <kind> <email> <recipient>` of every call. */
  readonly accepted: string[] = [];

  constructor(private readonly random: Random) {}

  async send({ url, body }: SignedRequest) {
    if (this.random.chance(0.1)) return { status: 503, latencyMs: 1 };
    const { event, email_id, to } = JSON.parse(body) as { event: string; email_id: string; to: string };
    this.accepted.push(`${url} ${event} ${email_id} ${to}`);
    return { status: 200, latencyMs: 1 };
  }

  /** The port never throws: a call without a response may have arrived. */
  static readonly failure = () => ({ error: 'the connection was reset', latencyMs: 1 });
}
