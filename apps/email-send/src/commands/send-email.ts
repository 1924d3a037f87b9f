import { Injectable } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, type sendEmail } from '@postern/contracts';
import { addressKey } from '@postern/mail';
import { v7 as uuidv7 } from 'uuid';
import { conclusionOf, type EmailFacts, nothingHandedOver } from '../domain/email.js';
import { copyMaker, type EmailBody } from '../domain/email-copies.js';
import { draftEmail, type EmailDraft } from '../domain/email-draft.js';
import { displayed } from '../domain/email-record.js';
import { emailRefusal, invalidEmail } from '../domain/email-refusals.js';
import { type CopyAnswer, faultyAnswer, suppressedAnswer } from '../domain/hand-over.js';
import {
  checkRecipientsVerified,
  countsTowardsQuota,
  type ResolvedSender,
  resolveSender,
} from '../domain/sender-resolution.js';
import {
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
type Judged = { readonly draft: EmailDraft; readonly resolved: ResolvedSender };

const RELAY_RETRY_AFTER_S = 5;

/** POST /emails: lets a message in, hands it over, records what became of it, and only then answers. */
@Injectable()
export class SendEmail {
  constructor(
    private readonly senders: SenderDirectory,
    private readonly suppressions: SuppressionList,
    private readonly ledger: EmailLedger,
    private readonly relay: MailRelay,
    private readonly settings: SendingSettings,
  ) {}

  async execute(request: Request): Promise<Reply> {
    const sender = await authenticated(this.senders, request.api_key_hash);
    const at = new Date();
    const asking = askingOf(request, sender, at);
    const judged = await this.#judge(request, sender).catch(refusal => this.#repeatInsteadOf(refusal, asking));
    if ('kind' in judged) return replayed(judged);

    const facts = this.#factsOf(judged, sender, at);
    const body = bodyOf(judged, sender);
    const admission = await this.ledger.admit({ ...asking, facts, body });
    if (admission.kind === 'repeated') return replayed(admission);

    const answers = await this.#handOver(facts, body, sender).catch(error => this.#giveUp(error, facts, request));
    const event = conclusionOf(facts, answers, new Date().toISOString(), judged.resolved.note);
    const record = await this.ledger.conclude({ facts, event, idempotencyKey: request.idempotency_key });
    if (event.type === 'email-send.email-not-handed-over.v1') {
      throw emailRefusal('relay_unavailable', event.data.reason, { retry_after_s: RELAY_RETRY_AFTER_S });
    }
    return { email: record, rate_limit: admission.rateLimit, replayed: false };
  }

  async #judge({ email }: Request, sender: Sender): Promise<Judged> {
    const draft = draftEmail(email);
    if (draft.needsSmtpUtf8At !== undefined && !(await this.relay.offersSmtpUtf8())) {
      throw invalidEmail(draft.needsSmtpUtf8At, 'the part before "@" must be ASCII, for no relay takes anything else');
    }
    checkRecipientsVerified(draft.recipients, sender, this.settings.simulatorDomain);
    return { draft, resolved: resolveSender(draft, sender, this.settings.sandboxSender) };
  }

  /** A retry gets its first answer even where the same message would be refused by now. */
  async #repeatInsteadOf(refusal: unknown, asking: Asking): Promise<Repeated> {
    const repeated = Refusal.is(refusal) && asking.idempotency ? await this.ledger.repeat(asking) : undefined;
    if (repeated) return repeated;
    throw refusal;
  }

  #factsOf({ draft, resolved }: Judged, sender: Sender, at: Date): EmailFacts {
    const id = uuidv7();
    return {
      email_id: id,
      service_id: sender.serviceId,
      workspace_id: sender.workspaceId,
      mode: resolved.mode,
      from: displayed(resolved.from),
      subject: draft.subject,
      recipients: [...draft.recipients],
      message_id: `${id}@${resolved.from.domain}`,
      counts: countsTowardsQuota(draft.recipients, this.settings.simulatorDomain),
      accepted_at: at.toISOString(),
    };
  }

  /** The answer for every recipient, in order. Each copy travels alone, for each has a return path of its own. */
  async #handOver(facts: EmailFacts, body: EmailBody, sender: Sender): Promise<CopyAnswer[]> {
    const suppressed = await this.#suppressedIn(facts, sender);
    const signer =
      facts.mode === 'production' ? sender.verifiedDomains.get(body.from.domain) : this.settings.sandboxSigner;
    const copyFor = copyMaker(facts, body, signer, this.settings.copies);
    const made = await Promise.allSettled(
      facts.recipients.map(async recipient =>
        suppressed.has(addressKey(recipient.address))
          ? suppressedAnswer
          : this.relay.handOver(await copyFor(recipient)),
      ),
    );
    const failed = made.find(outcome => outcome.status === 'rejected');
    if (failed && made.every(({ status }) => status === 'rejected')) throw failed.reason;
    // Once a copy of the message is on its way, a fault of ours with another must not make it look untouched.
    return made.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : faultyAnswer(outcome.reason)));
  }

  /** A fault of ours before anything was handed over: the message ends, its place and its key are free again. */
  async #giveUp(error: unknown, facts: EmailFacts, { idempotency_key }: Request): Promise<never> {
    const at = new Date().toISOString();
    await this.ledger.conclude({
      facts,
      event: nothingHandedOver(facts, 'internal error', at),
      idempotencyKey: idempotency_key,
    });
    throw error;
  }

  async #suppressedIn(facts: EmailFacts, sender: Sender): Promise<ReadonlySet<string>> {
    if (!sender.suppression) return new Set();
    return this.suppressions.suppressedAmong(
      sender.serviceId,
      facts.recipients.map(({ address }) => addressKey(address)),
    );
  }
}

function askingOf({ idempotency_key, body_hash }: Request, sender: Sender, at: Date): Asking {
  const { serviceId, perMinuteLimit, dailyLimit } = sender;
  const asking = { serviceId, perMinuteLimit, dailyLimit, at };
  return idempotency_key === undefined
    ? asking
    : { ...asking, idempotency: { key: idempotency_key, bodyHash: body_hash } };
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

function replayed({ record, rateLimit }: Repeated): Reply {
  return { email: record, rate_limit: rateLimit, replayed: true };
}
