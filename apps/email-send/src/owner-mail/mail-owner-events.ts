import { Inject, Injectable } from '@nestjs/common';
import { ownerMailConsumer } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { CONFIG, DatabaseClock, type DatabaseTime, ServiceLog } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { ownerMailText } from './owner-mail-text.js';
import { OwnerMailer } from './owner-mailer.js';
import { type OwnerEvent, OwnerFacts } from './ports.js';

/** Older events are not mailed: a stream can contain events of several weeks. Claims are kept for longer. */
const MAILED_FOR_MS = 24 * 3_600_000;

/** Mails the owners of a workspace about failures of its web services and databases. */
@Injectable()
export class MailOwnerEvents {
  readonly #dashboardUrl: string;

  constructor(
    private readonly facts: OwnerFacts,
    private readonly mailer: OwnerMailer,
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
    const notice = { resourceId: resourceOf(event), kind: event.type, occurredAt: new Date(event.occurred_at) };
    // If a relay is needed, the event is redelivered.
    await this.mailer.mail(facts.recipients, notice, ownerMailText(event, facts, this.#dashboardUrl));
  }
}

const resourceOf = ({ data }: OwnerEvent): string => ('database_id' in data ? data.database_id : data.web_service_id);
