import { Inject, Injectable } from '@nestjs/common';
import { type OwnerMailFacts, ownerMailConsumer } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { CONFIG, DatabaseClock, type DatabaseTime, ServiceLog } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { dashboardUrlOf } from '../infrastructure/dashboard-url.js';
import { ownerMailText } from './owner-mail-text.js';
import { OwnerMailer } from './owner-mailer.js';
import { ownerNotification } from './owner-notification.js';
import { type MailedOwnerEvent, type OwnerEvent, OwnerFacts, OwnerNotifications } from './ports.js';

/** Older events are not mailed: a stream can contain events of several weeks. Claims are kept for longer. */
const MAILED_FOR_MS = 24 * 3_600_000;

/** Mails the owners of a workspace about failures of its web services and databases, and has its targets told. */
@Injectable()
export class MailOwnerEvents {
  readonly #dashboardUrl: string;

  constructor(
    private readonly facts: OwnerFacts,
    private readonly mailer: OwnerMailer,
    private readonly log: ServiceLog,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
    @Inject(CONFIG) config: Pick<EmailSendConfig, 'publicUrl'>,
    private readonly notifications: OwnerNotifications,
  ) {
    this.#dashboardUrl = dashboardUrlOf(config);
  }

  @HandlesEvents(ownerMailConsumer.contracts, ownerMailConsumer)
  async onEvents(events: EventBatch<(typeof ownerMailConsumer.contracts)[number]>): Promise<void> {
    for (const event of events) await this.#tellAbout(event);
  }

  async #tellAbout(event: OwnerEvent): Promise<void> {
    if (this.clock.now().getTime() - Date.parse(event.occurred_at) > MAILED_FOR_MS) {
      this.log.info({ event: event.id, type: event.type }, 'The event is too old to tell anybody');
      return;
    }
    const facts = await this.facts.of(event);
    if (!facts) return;
    // If a relay or platform-management does not respond, the event is redelivered; nobody is told twice.
    const notification = ownerNotification(event, facts, this.#dashboardUrl);
    await Promise.all([this.notifications.notify(notification), isMailed(event) && this.#mail(event, facts)]);
  }

  async #mail(event: MailedOwnerEvent, facts: OwnerMailFacts): Promise<void> {
    const notice = { resourceId: resourceOf(event), kind: event.type, occurredAt: new Date(event.occurred_at) };
    await this.mailer.mail(facts.recipients, notice, ownerMailText(event, facts, this.#dashboardUrl));
  }
}

const isMailed = (event: OwnerEvent): event is MailedOwnerEvent =>
  event.type !== 'platform-management.deployment-live.v1';

const resourceOf = ({ data }: OwnerEvent): string => ('database_id' in data ? data.database_id : data.web_service_id);
