import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, sendEmail } from '@postern/contracts';
import { addressKey } from '@postern/mail';
import { requestDeadline, withoutEffect } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { canonicalMessage } from '../domain/canonical-message.js';
import { type ConcludedEmail, type ConcludingCommand, type EmailFacts, email } from '../domain/email.js';
import { copyMaker, type EmailBody } from '../domain/email-copies.js';
import { draftEmail, type EmailDraft } from '../domain/email-draft.js';
import type { RateLimit } from '../domain/email-limits.js';
import { displayed, recordOf } from '../domain/email-record.js';
import { deadlinePassed, invalidEmail, relayUnavailable } from '../domain/email-refusals.js';
import { type CopyAnswer, faultyAnswer, suppressedAnswer } from '../domain/hand-over.js';
import { outcomeUnknown } from '../domain/idempotency.js';
import {
  checkRecipientsVerified,
  countsTowardsQuota,
  type ResolvedSender,
  resolveSender,
} from '../domain/sender-resolution.js';
import {
  type Admission,
  type AdmissionRequest,
  type Asking,
  EmailLedger,
  MailRelay,
  type Repeated,
  type Sender,
  SenderDirectory,
  SendingSettings,
  SuppressionList,
} from '../ports.js';
import { authenticated } from './authenticate-api-key.js';

type Request = RequestOf<typeof sendEmail>;
type Reply = ReplyOf<typeof sendEmail>;
type Entered = {
  readonly entry: AdmissionRequest;
  readonly judged: Judged;
  readonly sender: Sender;
  readonly rateLimit: RateLimit;
};
type Judged = { readonly draft: EmailDraft; readonly resolved: ResolvedSender };

/**
 * POST /emails: admits a message, hands it over, records what became of it, and only then answers. A request that is
 * asked again under the same id gets the answer of the first; nothing is begun after the client's deadline.
 */
@Injectable()
export class SendEmail {
  readonly #underWay = new Map<string, Promise<Reply>>();

  constructor(
    private readonly senders: SenderDirectory,
    private readonly suppressions: SuppressionList,
    private readonly ledger: EmailLedger,
    private readonly relay: MailRelay,
    private readonly settings: SendingSettings,
  ) {}

  execute(request: Request): Promise<Reply> {
    const emailId = request.email_id?.toLowerCase() ?? uuidv7();
    const underWay = this.#underWay.get(emailId);
    if (underWay) return underWay;
    const sending = this.#send(request, emailId).finally(() => this.#underWay.delete(emailId));
    this.#underWay.set(emailId, sending);
    return sending;
  }

  async #send(request: Request, emailId: string): Promise<Reply> {
    const asked = await this.#admit(request, emailId).catch(error => {
      throw Refusal.is(error) ? error : withoutEffect(error);
    });
    if ('kind' in asked) return answerOf(asked);
    const { rateLimit, judged, sender, entry } = asked;
    const { facts, body, answerBy } = entry;

    const answers = await this.#handOver(facts, body, sender, answerBy).catch(error => this.#giveUp(error, entry));
    const at = new Date().toISOString();
    const outcome = await this.#conclude(entry, { kind: 'conclude', answers, note: judged.resolved.note, at });
    if (!outcome) throw outcomeUnknown(emailId);
    if (!outcome.handedOver) throw relayUnavailable(outcome);
    return { email: recordOf(outcome), rate_limit: rateLimit, replayed: false };
  }

  /** Everything up to the admission: what fails here has sent nothing, and nothing will be sent. */
  async #admit(request: Request, emailId: string): Promise<Entered | Repeated> {
    const sender = await authenticated(this.senders, request.api_key_hash);
    const at = new Date();
    const asking = askingOf(request, emailId, sender, at);
    if (asking.answerBy <= at) throw deadlinePassed();
    const judged = await this.#judge(request, sender).catch(refusal => this.#repeatInsteadOf(refusal, asking));
    if ('kind' in judged) return judged;

    const facts = this.#factsOf(judged, sender, asking);
    const events = email.decide({ kind: 'accept', facts }, email.initial);
    const entry = { ...asking, facts, events, body: bodyOf(judged, sender) };
    const admission = await this.#enter(entry);
    return admission.kind === 'repeated' ? admission : { rateLimit: admission.rateLimit, judged, sender, entry };
  }

  /**
   * Where nobody confirmed the admission, the message may have been admitted all the same. This request does not hand it
   * over: so it sends nothing, and what it may have left in the database is withdrawn once that is back.
   */
  async #enter(entry: AdmissionRequest): Promise<Admission> {
    try {
      return await this.ledger.admit(entry);
    } catch (error) {
      if (!Refusal.is(error) && mayHaveCommitted(error)) {
        this.ledger.withdraw(entry, 'internal error', new Date().toISOString()).catch(() => {});
      }
      throw error;
    }
  }

  async #judge({ email: message }: Request, sender: Sender): Promise<Judged> {
    const draft = draftEmail(message);
    if (draft.needsSmtpUtf8At !== undefined && !(await this.relay.offersSmtpUtf8())) {
      throw invalidEmail(draft.needsSmtpUtf8At, 'the part before "@" must be ASCII, for no relay takes anything else');
    }
    checkRecipientsVerified(draft.recipients, sender, this.settings.simulatorDomain);
    return { draft, resolved: resolveSender(draft, sender, this.settings.sandboxSender) };
  }

  /** A retry gets its first answer even where the same message would be refused by now. */
  async #repeatInsteadOf(refusal: unknown, asking: Asking): Promise<Repeated> {
    const repeated = Refusal.is(refusal) ? await this.ledger.repeat(asking) : undefined;
    if (repeated) return repeated;
    throw refusal;
  }

  #factsOf({ draft, resolved }: Judged, sender: Sender, { emailId, at }: Asking): EmailFacts {
    return {
      email_id: emailId,
      service_id: sender.serviceId,
      workspace_id: sender.workspaceId,
      mode: resolved.mode,
      from: displayed(resolved.from),
      subject: draft.subject,
      recipients: [...draft.recipients],
      message_id: `${emailId}@${resolved.from.domain}`,
      counts: countsTowardsQuota(draft.recipients, this.settings.simulatorDomain),
      accepted_at: at.toISOString(),
    };
  }

  /** The answer for every recipient, in order. Each copy travels alone, for each has a return path of its own. */
  async #handOver(facts: EmailFacts, body: EmailBody, sender: Sender, answerBy: Date): Promise<CopyAnswer[]> {
    const suppressed = await this.#suppressedIn(facts, sender);
    const signer =
      facts.mode === 'production' ? sender.verifiedDomains.get(body.from.domain) : this.settings.sandboxSigner;
    const copyFor = copyMaker(facts, body, signer, this.settings.copies);
    const made = await Promise.allSettled(
      facts.recipients.map(async recipient =>
        suppressed.has(addressKey(recipient.address))
          ? suppressedAnswer
          : this.relay.handOver(await copyFor(recipient), answerBy),
      ),
    );
    const failed = made.find(outcome => outcome.status === 'rejected');
    if (failed && made.every(({ status }) => status === 'rejected')) throw failed.reason;
    // Once a copy of the message is on its way, a fault of ours with another must not make it look untouched.
    return made.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : faultyAnswer(outcome.reason)));
  }

  /** A fault of ours before anything was handed over: the message ends, its place and its key are free again. */
  async #giveUp(error: unknown, entry: AdmissionRequest): Promise<never> {
    await this.#conclude(entry, { kind: 'give_up', reason: 'internal error', at: new Date().toISOString() });
    throw withoutEffect(error);
  }

  #conclude(entry: AdmissionRequest, command: ConcludingCommand): Promise<ConcludedEmail | undefined> {
    const { facts, idempotencyKey } = entry;
    return this.ledger.conclude({ facts, command, idempotencyKey });
  }

  async #suppressedIn(facts: EmailFacts, sender: Sender): Promise<ReadonlySet<string>> {
    if (!sender.suppression) return new Set();
    return this.suppressions.suppressedAmong(
      sender.serviceId,
      facts.recipients.map(({ address }) => addressKey(address)),
    );
  }
}

/** A gateway of the earlier release names neither id nor deadline; it waits as long as the contract says. */
function askingOf(request: Request, emailId: string, sender: Sender, at: Date): Asking {
  const { serviceId, perMinuteLimit, dailyLimit } = sender;
  const answerBy = request.answer_by
    ? new Date(request.answer_by)
    : new Date(requestDeadline()?.at ?? at.getTime() + sendEmail.deadlineMs);
  return {
    serviceId,
    emailId,
    perMinuteLimit,
    dailyLimit,
    identity: { fingerprint: fingerprintOf(serviceId, request), bodyHash: request.body_hash },
    idempotencyKey: request.idempotency_key,
    at,
    answerBy,
  };
}

/** 128 bits of a hash over service and message, in the form of a UUID. */
function fingerprintOf(serviceId: string, { email: message }: Request): string {
  const digest = hash('sha256', `${serviceId}\n${canonicalMessage(message)}`, 'hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A connection that was refused has carried nothing; one that broke may have. What the database refused did not commit. */
function mayHaveCommitted(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (/^(ECONNREFUSED|ENOENT|EAI_AGAIN|ENOTFOUND|EMFILE|ENFILE)$/.test(code)) return false;
  return !/^(?!08|40003|57P|58|XX)(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

function bodyOf({ draft, resolved }: Judged, sender: Sender): EmailBody {
  return {
    from: resolved.from,
    to: draft.to,
    cc: draft.cc,
    replyTo: resolved.replyTo,
    ...(draft.html === undefined ? {} : { html: draft.html }),
    ...(draft.text === undefined ? {} : { text: draft.text }),
    headers: draft.headers,
    openTracking: sender.openTracking,
    clickTracking: sender.clickTracking,
  };
}

function answerOf({ record, rateLimit, replayed }: Repeated): Reply {
  return { email: record, rate_limit: rateLimit, replayed };
}
