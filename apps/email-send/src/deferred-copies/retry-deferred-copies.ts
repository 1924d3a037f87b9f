import { Inject, Injectable } from '@nestjs/common';
import { addressKey } from '@postern/mail';
import { runInContext } from '@postern/messaging';
import { asTemporarilyUnavailable, DatabaseClock, type DatabaseTime, Every, ServiceLog } from '@postern/service-host';
import { type Sender, SenderDirectory } from '../api-keys/ports.js';
import { copyMaker, type EmailBody, respectsSuppressions } from '../emails/email-copies.js';
import { withdrawalOf } from '../emails/sender-resolution.js';
import {
  type CopyAnswer,
  cutOffAnswer,
  type HandOverAnswer,
  suppressedAnswer,
  unpreparedAnswer,
  withdrawnAnswer,
} from '../relay/hand-over.js';
import { type MailCopy, MailRelay, SendingSettings } from '../relay/ports.js';
import { SuppressionList } from '../suppressions/suppression-list.js';
import { DeferredCopies } from './deferred-copies.js';
import { type ClaimedCopy, type DeferredMessage, UnreadableBody } from './ports.js';

const AT_ONCE = 20;
/** When a copy that could not be prepared is due again. */
const POSTPONED_MS = 60_000;

type PreparedCopy = Pick<DeferredMessage, 'origin'> & ({ readonly copy: MailCopy } | { readonly ended: CopyAnswer });

/**
 * Copies that the relay deferred are handed over again until their deadline. Each attempt is claimed before it begins and
 * checks again what the request was checked for; an attempt that a crash interrupts is closed as unknown, not repeated.
 */
@Injectable()
export class RetryDeferredCopies {
  constructor(
    private readonly copies: DeferredCopies,
    private readonly relay: MailRelay,
    private readonly senders: SenderDirectory,
    private readonly suppressions: SuppressionList,
    private readonly settings: SendingSettings,
    private readonly log: ServiceLog,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {}

  /** Retries all copies that are due. */
  @Every(5_000, 'retry deferred copies')
  async run(): Promise<void> {
    const cutOff = await this.copies.claimCutOff(this.clock.now(), AT_ONCE);
    await this.#each(cutOff, copy => this.copies.settle(copy, cutOffAnswer, this.clock.now()));
    for (;;) {
      const due = await this.copies.claimDue(this.clock.now(), AT_ONCE);
      await this.#each(due, copy => this.#try(copy));
      if (due.length < AT_ONCE) return;
    }
  }

  /** One copy that fails does not affect the others. It stays claimed, because a relay may have accepted it. */
  async #each(copies: readonly ClaimedCopy[], work: (copy: ClaimedCopy) => Promise<void>): Promise<void> {
    const recorded = copies.map(copy =>
      work(copy).catch(err =>
        this.log.error({ err, ...idsOf(copy) }, 'The outcome of a deferred copy was not recorded'),
      ),
    );
    await Promise.all(recorded);
  }

  async #try(claimed: ClaimedCopy): Promise<void> {
    const prepared = await this.#prepare(claimed).catch((error: unknown) => ({ error }));
    if ('error' in prepared) return this.#postpone(claimed, prepared.error);
    const answer: HandOverAnswer =
      'ended' in prepared
        ? prepared.ended
        : await runInContext(prepared.origin, () => this.relay.handOver(prepared.copy));
    const { later } = answer;
    // Other copies do not wait for a relay that filters this one. When the claim ends first, the outcome is unknown.
    if (later) void this.#each([claimed], async copy => this.copies.settle(copy, await later, this.clock.now()));
    else await this.copies.settle(claimed, answer, this.clock.now());
  }

  /** Everything up to the hand-over. After a failure here, nothing was sent. */
  async #prepare(claimed: ClaimedCopy): Promise<PreparedCopy> {
    const { facts, origin, body } = await this.copies.messageOf(claimed);
    const recipient = facts.recipients.find(({ index }) => index === claimed.recipientIndex)!;
    const sender = await this.senders.findByService(facts.service_id);
    if (!sender) return { origin, ended: withdrawnAnswer('service_deleted') };
    const withdrawal = withdrawalOf(
      { mode: facts.mode, address: recipient.address },
      sender,
      this.settings.simulatorDomain,
    );
    if (withdrawal) return { origin, ended: withdrawnAnswer(withdrawal) };
    if (await this.#isSuppressed(recipient.address, body, sender)) return { origin, ended: suppressedAnswer };
    const isOwn = facts.mode === 'production';
    const domain = isOwn ? sender.verifiedDomains.get(body.from.domain) : this.settings.sandboxDomain;
    if (!domain) return { origin, ended: withdrawnAnswer('domain_removed') };
    return { origin, copy: await copyMaker(facts, body, domain, this.settings.copies)(recipient) };
  }

  async #isSuppressed(address: string, body: EmailBody, sender: Sender): Promise<boolean> {
    if (!respectsSuppressions(body, sender)) return false;
    return (await this.suppressions.suppressedAmong(sender.serviceId, [addressKey(address)])).size > 0;
  }

  /** An outage only delays the last attempt; any other fault ends the copy at its deadline. */
  async #postpone(claimed: ClaimedCopy, error: unknown): Promise<void> {
    const at = this.clock.now();
    this.log.warn({ err: error, ...idsOf(claimed) }, 'A deferred copy could not be prepared');
    if (at < claimed.deadline || asTemporarilyUnavailable(error))
      return this.copies.release(claimed, new Date(at.getTime() + POSTPONED_MS));
    const reason = error instanceof UnreadableBody ? error.message : 'internal error';
    await this.copies.settle(claimed, unpreparedAnswer(reason), at);
  }
}

const idsOf = ({ emailId, recipientIndex }: ClaimedCopy) => ({ emailId, recipientIndex });
