import { Inject, Injectable } from '@nestjs/common';
import { type OwnerMailFacts, ownerMailConsumer, Refusal } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { CONFIG, DatabaseClock, type DatabaseTime, ServiceLog } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { NoticeLimits, SystemMail } from '../system-mail/ports.js';
import { ownerMailText } from './owner-mail-text.js';
import { type OwnerEvent, OwnerFacts, OwnerMailClaims } from './ports.js';

/** Older events are not mailed: a stream can contain events of several weeks. Claims are kept for longer. */
const MAILED_FOR_MS = 24 * 3_600_000;

/**
 * Mails the owners of a workspace about failures of its web services and databases. A mail is claimed before it is sent:
 * after a crash it may be lost, and it is never sent twice.
 */
@Injectable()
export class MailOwnerEvents {
  readonly #dashboardUrl: string;

  constructor(
    private readonly facts: OwnerFacts,
    private readonly claims: OwnerMailClaims,
    private readonly limits: NoticeLimits,
    private readonly mail: SystemMail,
    private readonly log: ServiceLog,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
    @Inject(CONFIG) config: Pick<EmailSendConfig, 'publicUrl'>,
  ) {
    this.#dashboardUrl = `${config.publicUrl.replace(/\/+$/, '')}/dashboard`;
  }

  @HandlesEvents(ownerMailConsumer.contracts, ownerMailConsumer)
  async onEvents(events: EventBatch<(typeof ownerMailConsumer.contracts)[number]>): Promise<void> {
    for (const event of events) await this.#mailAbout(event);
  }

  async #mailAbout(event: OwnerEvent): Promise<void> {
    if (this.clock.now().getTime() - Date.parse(event.occurred_at) > MAILED_FOR_MS) {
      this.log.info({ event: event.id, type: event.type }, 'The event is too old to email its owners');
      return;
    }
    const facts = await this.facts.of(event);
    if (!facts) return;
    const unsent: string[] = [];
    for (const recipient of facts.recipients) {
      const response = await this.#mailTo(recipient, event, facts);
      if (response !== undefined) unsent.push(response);
    }
    // The event is redelivered; owners who have received the mail do not receive it again.
    if (unsent[0] !== undefined) throw new Refusal('relay_unavailable', `the mail could not be sent: ${unsent[0]}`);
  }

  /** Returns the response of the relay if a retry is needed. */
  async #mailTo(
    { user_id: userId, email }: OwnerMailFacts['recipients'][number],
    event: OwnerEvent,
    facts: OwnerMailFacts,
  ): Promise<string | undefined> {
    const occurredAt = new Date(event.occurred_at);
    const claim = { resourceId: resourceOf(event), kind: event.type, userId, occurredAt };
    if (!(await this.claims.take(claim))) return undefined;
    const notice = { address: email, kind: event.type, at: this.clock.now() };
    if (!(await this.limits.take(notice))) {
      this.log.warn({ event: event.id, type: event.type, user: userId }, 'The owner had too many emails of this kind');
      return undefined;
    }
    const { subject, text } = ownerMailText(event, facts, this.#dashboardUrl);
    const { result, response } = await this.mail.attempt(email, subject, text);
    if (result === 'not_sent') {
      await this.limits.release(notice);
      await this.claims.release(claim);
      return response;
    }
    const fields = { event: event.id, type: event.type, user: userId };
    if (result === 'accepted') this.log.info(fields, 'Emailed an owner about a failure');
    else this.log.warn({ ...fields, result }, 'An email to an owner was not accepted and is not retried');
    return undefined;
  }
}

const resourceOf = ({ data }: OwnerEvent): string => ('database_id' in data ? data.database_id : data.web_service_id);
