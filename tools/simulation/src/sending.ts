import { Refusal, type ReplyOf, sendEmail } from '@postern/contracts';
import { parseMailbox } from '@postern/mail';
import { isUnanswered, RemoteFault, ServiceUnavailable, silentLog } from '@postern/messaging';
import { OutcomeUnknown } from '../../../apps/api-gateway/src/infrastructure/http/errors/outcome-unknown.js';
import { sendUntilKnown } from '../../../apps/api-gateway/src/infrastructure/nats/send-until-known.js';
import type { ServiceClient } from '../../../apps/api-gateway/src/infrastructure/service-client/ports.js';
import type { Sender, SenderDirectory } from '../../../apps/email-send/src/api-keys/ports.js';
import type { DeferredCopies } from '../../../apps/email-send/src/deferred-copies/deferred-copies.js';
import { RetryDeferredCopies } from '../../../apps/email-send/src/deferred-copies/retry-deferred-copies.js';
import type { CompleteEmail } from '../../../apps/email-send/src/emails/complete-email.js';
import type { EmailRepository } from '../../../apps/email-send/src/emails/ports.js';
import { type Outcomes, ResolveUnknownEmails } from '../../../apps/email-send/src/emails/resolve-unknown-emails.js';
import { SendEmail } from '../../../apps/email-send/src/emails/send-email.js';
import type { UnresolvedEmails } from '../../../apps/email-send/src/emails/unresolved-emails.js';
import { CloseInterruptedEmails } from '../../../apps/email-send/src/interrupted-emails/close-interrupted-emails.js';
import type { EmailsInProgress } from '../../../apps/email-send/src/interrupted-emails/emails-in-progress.js';
import type { SendingSettings } from '../../../apps/email-send/src/relay/ports.js';
import type { SuppressionList } from '../../../apps/email-send/src/suppressions/suppression-list.js';
import { hadNoEffect } from '../../../libs/messaging/src/faults.js';
import { isPublicEvent } from './dispatch.js';
import { EmailDatabase } from './email-database.js';
import { EventLog, envelopeOf, Subscription } from './event-log.js';
import { Relay, TOKENS } from './mail-world.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

/** A message that a client wants to send, independent of the number of attempts. */
export interface Intention {
  readonly marker: string;
  readonly recipients: readonly string[];
  readonly idempotencyKey: string | undefined;
}

export const SERVICE_ID = '0195a1b2-0000-7000-8000-0000000000aa';

const WITHOUT_TEMPLATES = { complete: async (_: string, email: object) => email } as unknown as CompleteEmail;

const SENDER: Sender = {
  serviceId: SERVICE_ID,
  workspaceId: '0195a1b2-0000-7000-8000-0000000000bb',
  enabled: true,
  mode: 'sandbox',
  openTracking: false,
  clickTracking: false,
  suppression: false,
  perMinuteLimit: 1_000_000,
  dailyLimit: 1_000_000,
  sharedDailyLimit: 1_000_000,
  verifiedDomains: new Map(),
  registeredDomains: new Set(),
  verifiedRecipients: new Set(['ada@x.test', 'bob@x.test', 'cyd@x.test']),
};

/** The database of a simulation shares the clock of its world. */
const CLOCK = { now: () => new Date() };

const SETTINGS: SendingSettings = {
  sandboxSender: parseMailbox('Postern Sandbox <sandbox@sandbox.test>'),
  sandboxDomain: { signers: [] },
  simulatorDomain: undefined,
  copies: { tokens: TOKENS, publicUrl: 'https://mail.test', bounceDomain: 'bounce.test', copyIdHeaders: [] },
  bodyRetentionDays: 7,
  messageRetentionDays: 90,
};

class Senders {
  async findByKeyHash(): Promise<Sender> {
    return SENDER;
  }
  async findByService(): Promise<Sender> {
    return SENDER;
  }
}

class Suppressions {
  async suppressedAmong(): Promise<ReadonlySet<string>> {
    return new Set();
  }
  async apply(): Promise<void> {}
}

type SendReply = ReplyOf<typeof sendEmail>;

/** The response as the client reads it. */
export interface HttpAnswer {
  readonly status: number;
  readonly record?: SendReply['email'];
  /** The header `Email-Id` of a response with an unknown outcome. */
  readonly emailId?: string;
}

const CLIENT_WAITS_MS = 30_000;

/** email-send with the gateway in front of it. */
export class Sending {
  readonly log: EventLog;
  readonly database: EmailDatabase;
  readonly #commands = new WeakMap<SimulatedProcess, SendEmail>();
  #outcomes: Subscription | undefined;

  constructor(
    private readonly world: World,
    private readonly relay: Relay,
  ) {
    this.log = new EventLog(() => world.newId());
    this.database = new EmailDatabase(this.log, () => world.now);
  }

  /** Uses the outcomes of this log as evidence from now on. */
  follow(tracked: EventLog): void {
    this.#outcomes = new Subscription(tracked, isPublicEvent, this.world.random);
  }

  get isBusy(): boolean {
    return this.database.isWaiting || (this.#outcomes?.behind ?? 0) > 0;
  }

  async post(intention: Intention): Promise<HttpAnswer> {
    const request = requestOf(intention, this.world.newId());
    const services = {
      request: (_: unknown, attempt: SendRequest) => this.#request(attempt),
    } as unknown as ServiceClient;
    try {
      const requestContext = { correlationId: request.email_id };
      const { email } = await sendUntilKnown(services, sendEmail, request, requestContext, async ms =>
        this.world.advance(ms),
      );
      return { status: 200, record: email };
    } catch (error) {
      return answerTo(error);
    }
  }

  async closeInterrupted(): Promise<void> {
    await this.world.attempt('email-send', process =>
      new CloseInterruptedEmails(
        process.connect(this.database) as unknown as EmailsInProgress,
        this.#emails(process),
      ).run(),
    );
  }

  async retryDeferred(): Promise<void> {
    await this.world.attempt('email-send', process =>
      new RetryDeferredCopies(
        process.connect(this.database) as unknown as DeferredCopies,
        process.connect(this.relay, Relay.failure),
        new Senders() as unknown as SenderDirectory,
        new Suppressions() as unknown as SuppressionList,
        SETTINGS,
        silentLog as ConstructorParameters<typeof RetryDeferredCopies>[5],
        CLOCK,
      ).run(),
    );
  }

  async takeEvidence(): Promise<void> {
    await this.#outcomes?.deliver(batch =>
      this.world.attempt('email-send', process => {
        const outcomes = batch.map(event => envelopeOf(event, this.world.timestamp()));
        const unresolved = process.connect(this.database) as unknown as UnresolvedEmails;
        return new ResolveUnknownEmails(unresolved).onOutcomes(outcomes as unknown as Outcomes);
      }),
    );
  }

  /** One request of the gateway, with the failures that its transport distinguishes. */
  async #request(request: SendRequest): Promise<SendReply> {
    this.world.advance(1 + this.world.random.below(50));
    const process = this.world.process('email-send');
    const work = this.#sendEmail(process).execute(request);
    const outcome = await process.finish(work.then(reply => process.call('EmailSend.reply', () => reply)));
    if (outcome.kind === 'crashed') throw new ServiceUnavailable(sendEmail.subject, 'timeout', true);
    if (outcome.kind === 'failed') {
      if (Refusal.is(outcome.error)) throw outcome.error;
      throw new RemoteFault(sendEmail.subject, 'internal error', !hadNoEffect(outcome.error));
    }
    const { email } = outcome.value;
    await this.world.attempt('email-send', own =>
      own.call('EmailSend.answerReceived', () => this.database.answerReceived(email.id)),
    );
    return outcome.value;
  }

  #sendEmail(process: SimulatedProcess): SendEmail {
    const known = this.#commands.get(process);
    if (known) return known;
    const command = new SendEmail(
      process.connect(new Senders()) as unknown as SenderDirectory,
      process.connect(new Suppressions()) as unknown as SuppressionList,
      this.#emails(process),
      process.connect(this.relay, Relay.failure),
      SETTINGS,
      WITHOUT_TEMPLATES,
      CLOCK,
    );
    this.#commands.set(process, command);
    return command;
  }

  #emails(process: SimulatedProcess): EmailRepository {
    return process.connect(this.database) as unknown as EmailRepository;
  }
}

function answerTo(error: unknown): HttpAnswer {
  if (error instanceof OutcomeUnknown) return { status: 503, emailId: error.emailId };
  if (isUnanswered(error)) return { status: 503 };
  if (!Refusal.is(error)) throw error;
  return { status: error.code === 'relay_unavailable' || error.code === 'deadline_passed' ? 503 : 409 };
}

type SendRequest = ReturnType<typeof requestOf>;

const requestOf = ({ marker, recipients, idempotencyKey }: Intention, emailId: string) => ({
  api_key_hash: '0'.repeat(64),
  email_id: emailId,
  answer_within_ms: CLIENT_WAITS_MS,
  email: {
    from: 'Shop <shop@example.com>',
    to: [...recipients],
    cc: [],
    bcc: [],
    subject: marker,
    text: 'Thank you.',
    headers: {},
  },
  ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
});
