import { Inject } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, sendEmail } from '@postern/contracts';
import { addressKey } from '@postern/mail';
import { Handles, onReplyReceived, withoutEffect } from '@postern/messaging';
import { DatabaseClock, type DatabaseTime, withCommandKey } from '@postern/service-host';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import { authenticated, type Sender, SenderDirectory } from '../api-keys/ports.js';
import type { RateLimit } from '../email-services/email-limits.js';
import { type CopyAnswer, faultyAnswer, type HandOverAnswer, suppressedAnswer } from '../relay/hand-over.js';
import { MailRelay, SendingSettings } from '../relay/ports.js';
import { SuppressionList } from '../suppressions/suppression-list.js';
import { CompleteEmail } from './complete-email.js';
import { type ConcludedEmail, type ConcludingCommand, displayed, type EmailFacts, email, recordOf } from './email.js';
import { copyMaker, type EmailBody, respectsSuppressions } from './email-copies.js';
import { draftEmail, type EmailDraft } from './email-draft.js';
import { deadlinePassed, invalidEmail, relayUnavailable } from './email-refusals.js';
import { canonicalMessage, outcomeUnknown } from './idempotency.js';
import {
  type Admission,
  type AdmissionContext,
  type AdmissionRequest,
  EmailRepository,
  type RepeatedAnswer,
} from './ports.js';
import { contextOf, type SendRequest } from './send-request.js';
import {
  checkRecipientsVerified,
  countsOnSharedSender,
  countsTowardsQuota,
  type ResolvedSender,
  resolveSender,
} from './sender-resolution.js';

const LARGE_BYTES = 8 * 1024 * 1024;

type Request = SendRequest;
type Reply = ReplyOf<typeof sendEmail>;
/** A message that passed all checks. */
export type CheckedEmail = { readonly draft: EmailDraft; readonly resolved: ResolvedSender };
type AdmittedEmail = {
  readonly admission: AdmissionRequest;
  readonly checked: CheckedEmail;
  readonly sender: Sender;
  readonly rateLimit: RateLimit;
};

/**
 * POST /emails: admits a message, hands it to the relay, records the outcome, and only then returns. A request that is
 * repeated under the same id gets the first answer; no work starts after the client's deadline.
 */
@Handles(sendEmail)
export class SendEmail {
  readonly #inProgress = new Map<string, Promise<Reply>>();
  /** A large message needs ten times its size until it is handed over. */
  readonly #large = pLimit(1);

  constructor(
    private readonly senders: SenderDirectory,
    private readonly suppressions: SuppressionList,
    private readonly emails: EmailRepository,
    private readonly relay: MailRelay,
    private readonly settings: SendingSettings,
    private readonly completion: CompleteEmail,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {}

  execute({ email: message, api_key_hash, ...request }: RequestOf<typeof sendEmail>): Promise<Reply> {
    const canonical = canonicalMessage(message);
    return this.send({
      ...request,
      sender: () => this.senderOf(api_key_hash),
      canonical,
      bytes: canonical.length,
      draft: async ({ serviceId }) => draftEmail(await this.completion.complete(serviceId, message)),
    });
  }

  /** The sender of an API key; refuses with `api_key_invalid` or `service_disabled`. */
  senderOf(keyHash: string): Promise<Sender> {
    return authenticated(this.senders, keyHash);
  }

  /** Sends a message that has been read from another form of request. */
  async send(request: SendRequest): Promise<Reply> {
    const reply = await withCommandKey((key = request.idempotency_key) =>
      this.#sendOnce({ ...request, idempotency_key: key }),
    );
    onReplyReceived(() => this.emails.answerReceived(reply.email.id));
    return reply;
  }

  /** Repetitions that arrive while a message is in progress share its answer. */
  #sendOnce(request: Request): Promise<Reply> {
    const emailId = request.email_id?.toLowerCase() ?? uuidv7();
    const inProgress = this.#inProgress.get(emailId);
    if (inProgress) return inProgress;
    const send = () => this.#send(request, emailId);
    const isLarge = (request.bytes ?? 0) > LARGE_BYTES;
    const sending = (isLarge ? this.#large(send) : send()).finally(() => this.#inProgress.delete(emailId));
    this.#inProgress.set(emailId, sending);
    return sending;
  }

  async #send(request: Request, emailId: string): Promise<Reply> {
    const admitted = await this.#admit(request, emailId).catch(error => {
      throw Refusal.is(error) ? error : withoutEffect(error);
    });
    if ('kind' in admitted) return replyOf(admitted);
    const { rateLimit, checked, sender, admission } = admitted;
    const { facts, body, answerBy } = admission;

    const answers = await this.#handOver(facts, body, sender, answerBy).catch(error => this.#giveUp(error, admission));
    const { note } = checked.resolved;
    if (answers.some(({ later }) => later)) {
      // The message stays in progress: its client gets the outcome with its next request.
      this.#concludeLater(admission, answers, note).catch(() => undefined);
      throw outcomeUnknown(emailId);
    }
    const outcome = await this.#conclude(admission, this.#conclusion(answers, note));
    if (!outcome) throw outcomeUnknown(emailId);
    if (!outcome.handedOver) throw relayUnavailable(outcome);
    return { email: recordOf(outcome), rate_limit: rateLimit, replayed: false, message_id: facts.message_id };
  }

  /** A message whose conclusion fails is closed as overdue. */
  async #concludeLater(admission: AdmissionRequest, answers: readonly HandOverAnswer[], note?: string): Promise<void> {
    const final = await Promise.all(answers.map(async answer => answer.later ?? answer));
    await this.#conclude(admission, this.#conclusion(final, note));
  }

  #conclusion(answers: readonly CopyAnswer[], note: string | undefined): ConcludingCommand {
    return { kind: 'conclude', answers, note, at: this.clock.now().toISOString() };
  }

  /** Everything up to the admission. A failure here has sent nothing, and nothing will be sent. */
  async #admit(request: Request, emailId: string): Promise<AdmittedEmail | RepeatedAnswer> {
    const sender = await request.sender();
    const at = this.clock.now();
    const context = contextOf(request, emailId, sender, at);
    if (context.answerBy <= at) throw deadlinePassed();
    const checked = await this.checkedOf(request, sender).catch(refusal => this.#repeatInsteadOf(refusal, context));
    if ('kind' in checked) return checked;

    const facts = this.#factsOf(checked, sender, context);
    const events = email.decide({ kind: 'accept', facts }, email.initial);
    const admission = { ...context, facts, events, body: bodyOf(checked, sender) };
    const result = await this.#store(admission);
    return result.kind === 'repeated' ? result : { rateLimit: result.rateLimit, checked, sender, admission };
  }

  /**
   * A failed admission may have been committed. This request does not hand the message over then; what it left in the
   * database is withdrawn in the background.
   */
  async #store(admission: AdmissionRequest): Promise<Admission> {
    try {
      return await this.emails.admit(admission);
    } catch (error) {
      if (!Refusal.is(error)) this.emails.withdraw(admission, error, this.clock.now().toISOString()).catch(() => {});
      throw error;
    }
  }

  /** Checks a message that is sent now or later; throws the refusal of an invalid one. */
  async checkedOf(request: Pick<SendRequest, 'draft'>, sender: Sender): Promise<CheckedEmail> {
    const draft = await request.draft(sender);
    if (draft.needsSmtpUtf8At !== undefined && !(await this.relay.offersSmtpUtf8())) {
      throw invalidEmail(
        draft.needsSmtpUtf8At,
        'the part before "@" must be ASCII, because no relay accepts other characters',
      );
    }
    checkRecipientsVerified(draft.recipients, sender, this.settings.simulatorDomain);
    return { draft, resolved: resolveSender(draft, sender, this.settings.sandboxSender) };
  }

  /** A retry gets its first answer even if the same message would be refused now. */
  async #repeatInsteadOf(refusal: unknown, context: AdmissionContext): Promise<RepeatedAnswer> {
    const repeated = Refusal.is(refusal) ? await this.emails.findRepeated(context) : undefined;
    if (repeated) return repeated;
    throw refusal;
  }

  #factsOf({ draft, resolved }: CheckedEmail, sender: Sender, { emailId, at }: AdmissionContext): EmailFacts {
    return {
      email_id: emailId,
      service_id: sender.serviceId,
      workspace_id: sender.workspaceId,
      mode: resolved.mode,
      from: displayed(resolved.from),
      subject: draft.subject,
      recipients: [...draft.recipients],
      message_id: this.#messageIdOf(draft, emailId, resolved.from.domain),
      counts: countsTowardsQuota(draft.recipients, this.settings.simulatorDomain),
      ...(countsOnSharedSender(resolved.mode, draft.recipients, sender, this.settings.simulatorDomain)
        ? { counts_on_shared_sender: true }
        : {}),
      ...(draft.tags === undefined ? {} : { tags: { ...draft.tags } }),
      accepted_at: at.toISOString(),
    };
  }

  /** The Message-ID of the sender, unless it is one that names another message of ours in reports. */
  #messageIdOf({ messageId }: EmailDraft, emailId: string, domain: string): string {
    const { tokens } = this.settings.copies;
    const isFree = messageId !== undefined && !tokens.readCopyId(messageId.slice(0, messageId.lastIndexOf('@')));
    return isFree ? messageId : `${tokens.copyId(emailId)}@${domain}`;
  }

  /** The relay's answers in the order of recipients. Each copy is sent separately, because its return path differs. */
  async #handOver(facts: EmailFacts, body: EmailBody, sender: Sender, answerBy: Date): Promise<HandOverAnswer[]> {
    const suppressed = await this.#suppressedIn(facts, body, sender);
    const domain = facts.mode === 'production' ? sender.verifiedDomains.get(body.from.domain) : undefined;
    const copyFor = copyMaker(facts, body, domain ?? this.settings.sandboxDomain, this.settings.copies);
    const made = await Promise.allSettled(
      facts.recipients.map(async recipient =>
        suppressed.has(addressKey(recipient.address))
          ? suppressedAnswer
          : this.relay.handOver(await copyFor(recipient), answerBy),
      ),
    );
    const failed = made.find(outcome => outcome.status === 'rejected');
    if (failed && made.every(({ status }) => status === 'rejected')) throw failed.reason;
    // One copy may have been sent: an internal error with another copy must not make the message look unsent.
    return made.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : faultyAnswer(outcome.reason)));
  }

  /** Ends a message after an internal error before any hand-over; its count and its key are released. */
  async #giveUp(error: unknown, admission: AdmissionRequest): Promise<never> {
    await this.#conclude(admission, { kind: 'give_up', reason: 'internal error', at: this.clock.now().toISOString() });
    throw withoutEffect(error);
  }

  #conclude(admission: AdmissionRequest, command: ConcludingCommand): Promise<ConcludedEmail | undefined> {
    const { facts, idempotencyKey } = admission;
    return this.emails.conclude({ facts, command, idempotencyKey });
  }

  async #suppressedIn(facts: EmailFacts, body: EmailBody, sender: Sender): Promise<ReadonlySet<string>> {
    if (!respectsSuppressions(body, sender)) return new Set();
    return this.suppressions.suppressedAmong(
      sender.serviceId,
      facts.recipients.map(({ address }) => addressKey(address)),
    );
  }
}

function bodyOf({ draft, resolved }: CheckedEmail, sender: Sender): EmailBody {
  const { html, text, submitted } = draft;
  const htmlPart = html === undefined ? {} : { html };
  return {
    from: resolved.from,
    to: draft.to,
    cc: draft.cc,
    replyTo: resolved.replyTo,
    ...(submitted
      ? { submitted: { ...submitted, ...htmlPart } }
      : { ...htmlPart, ...(text === undefined ? {} : { text }) }),
    headers: draft.headers,
    ...(draft.attachments.length > 0 ? { attachments: draft.attachments } : {}),
    ...(draft.inReplyTo === undefined ? {} : { inReplyTo: draft.inReplyTo }),
    ...(draft.references.length > 0 ? { references: draft.references } : {}),
    ...(draft.listUnsubscribe === undefined ? {} : { listUnsubscribe: draft.listUnsubscribe }),
    openTracking: draft.tracking?.opens ?? sender.openTracking,
    clickTracking: draft.tracking?.clicks ?? sender.clickTracking,
  };
}

function replyOf({ record, rateLimit, replayed }: RepeatedAnswer): Reply {
  return { email: record, rate_limit: rateLimit, replayed };
}
