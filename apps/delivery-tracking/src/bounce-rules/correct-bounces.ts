import { Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { addressKey } from '@postern/mail';
import { TrackedEmails } from '../messages/get-email.js';
import { addressSuppression, suppressionStream } from '../tracked-emails/address-suppression.js';
import { EmailSignals } from '../tracked-emails/email-signals.js';

export interface BouncedRecipient {
  readonly index: number;
  readonly address: string;
  /** The reply of the receiving server. */
  readonly reason: string;
}

/** Classifies the bounces of one message again, by the rules of the owner of its email service. */
@Injectable()
export class CorrectBounces {
  constructor(
    private readonly emails: TrackedEmails,
    private readonly signals: EmailSignals,
    private readonly streams: Streams,
  ) {}

  /** The recipients of a message that bounced. Refuses `email_not_found`. */
  async of(serviceId: string, emailId: string): Promise<readonly BouncedRecipient[]> {
    const { recipients } = await this.emails.get({ service_id: serviceId, email_id: emailId });
    return recipients.flatMap(({ index, address, state, reason }) =>
      state === 'bounced' && reason !== null ? [{ index, address, reason }] : [],
    );
  }

  /**
   * Resolves once the bounces are classified again and, if they are soft, the suppression list no longer shows addresses that a hard
   * bounce of this or another message added.
   */
  async correct(
    serviceId: string,
    emailId: string,
    recipients: readonly BouncedRecipient[],
    type: 'hard' | 'soft',
  ): Promise<void> {
    const at = new Date().toISOString();
    await Promise.all(recipients.map(({ index }) => this.signals.record(emailId, { kind: 'corrected', index, at })));
    if (type === 'hard') return;
    const addresses = new Set(recipients.map(({ address }) => addressKey(address)));
    for (const address of addresses) await this.#lift(serviceId, address, at);
  }

  async #lift(serviceId: string, address: string, at: string): Promise<void> {
    const stream = suppressionStream(serviceId, address);
    const { bouncedEmail } = await this.streams.stateOf(addressSuppression, stream);
    if (bouncedEmail === undefined) return;
    const data = { service_id: serviceId, address, email_id: bouncedEmail, at };
    await this.streams.execute(addressSuppression, stream, { kind: 'correct', data });
  }
}
