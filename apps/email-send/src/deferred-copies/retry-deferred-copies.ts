import { Injectable } from '@nestjs/common';
import { runInContext } from '@postern/messaging';
import { Every } from '@postern/service-host';
import { SenderDirectory } from '../api-keys/ports.js';
import { copyMaker } from '../emails/email-copies.js';
import { type CopyAnswer, cutOffAnswer, withdrawnAnswer } from '../emails/hand-over.js';
import { MailRelay, SendingSettings } from '../emails/ports.js';
import { type ClaimedCopy, DeferredCopies } from './ports.js';

const AT_ONCE = 20;

/**
 * Copies that the relay deferred are handed over again until their deadline. Each attempt is claimed before it
 * begins; an attempt that a crash interrupts is closed as unknown, not repeated.
 */
@Injectable()
export class RetryDeferredCopies {
  constructor(
    private readonly copies: DeferredCopies,
    private readonly relay: MailRelay,
    private readonly senders: SenderDirectory,
    private readonly settings: SendingSettings,
  ) {}

  /** Retries all copies that are due. */
  @Every(5_000, 'retry deferred copies')
  async run(): Promise<void> {
    for (const copy of await this.copies.claimCutOff(new Date(), AT_ONCE)) {
      await this.copies.settle(copy, cutOffAnswer, new Date());
    }
    for (;;) {
      const due = await this.copies.claimDue(new Date(), AT_ONCE);
      await Promise.all(due.map(async copy => this.copies.settle(copy, await this.#try(copy), new Date())));
      if (due.length < AT_ONCE) return;
    }
  }

  async #try({ facts, origin, body, recipientIndex }: ClaimedCopy): Promise<CopyAnswer> {
    const isOwn = facts.mode === 'production';
    const domain = isOwn
      ? await this.senders.findDomain(facts.service_id, body.from.domain)
      : this.settings.sandboxDomain;
    if (!domain) return withdrawnAnswer;
    const recipient = facts.recipients.find(({ index }) => index === recipientIndex)!;
    const copy = await copyMaker(facts, body, domain, this.settings.copies)(recipient);
    return runInContext(origin, () => this.relay.handOver(copy));
  }
}
