import { Inject, Injectable } from '@nestjs/common';
import { accountMailConsumer, Refusal } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { CONFIG, DatabaseClock, type DatabaseTime, ServiceLog } from '@postern/service-host';
import { OptOutLinks } from '../code-opt-outs/ports.js';
import type { EmailSendConfig } from '../config.js';
import { dashboardUrlOf } from '../infrastructure/dashboard-url.js';
import { NoticeLimits, SystemMail } from '../system-mail/ports.js';
import { invitationMail, noticeMail, passwordResetMail } from './account-mails.js';
import { type AccountEvent, AccountFacts, type AccountMail } from './ports.js';

/** Number of recently mailed events that are remembered: a failed batch is redelivered as a whole. */
const REMEMBERED = 10_000;

/**
 * Mails users about changes of their accounts, and links to new passwords and invitations. An event is delivered again
 * until a relay accepts the mail or rejects it permanently; after a crash the mails of a page may be sent twice.
 */
@Injectable()
export class MailAccountEvents {
  readonly #dashboardUrl: string;
  readonly #mailed = new Set<string>();

  constructor(
    private readonly facts: AccountFacts,
    private readonly mail: SystemMail,
    private readonly limits: NoticeLimits,
    private readonly optOuts: OptOutLinks,
    private readonly log: ServiceLog,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
    @Inject(CONFIG) config: Pick<EmailSendConfig, 'publicUrl'>,
  ) {
    this.#dashboardUrl = dashboardUrlOf(config);
  }

  @HandlesEvents(accountMailConsumer.contracts, accountMailConsumer)
  async onEvents(events: EventBatch<(typeof accountMailConsumer.contracts)[number]>): Promise<void> {
    for (const event of events) {
      if (this.#mailed.has(event.id)) continue;
      const mail = await this.#mailOf(event);
      if (mail) await this.#send(mail, event);
      this.#remember(event.id);
    }
  }

  async #mailOf(event: AccountEvent): Promise<AccountMail | undefined> {
    switch (event.type) {
      case 'platform-management.password-reset-requested.v1': {
        const reset = await this.facts.passwordReset(event.data.request_id);
        return reset ? passwordResetMail(reset.email, reset.token, this.#dashboardUrl) : undefined;
      }
      case 'platform-management.member-invited.v1': {
        const invited = await this.facts.invitation(event.data.invitation_id);
        const unsubscribeUrl = invited && (await this.optOuts.urlFor(invited.email));
        return invited && unsubscribeUrl ? invitationMail(invited, this.#dashboardUrl, unsubscribeUrl) : undefined;
      }
      default: {
        const workspaceId = 'workspace_id' in event.data ? event.data.workspace_id : undefined;
        const { email, workspaceName } = await this.facts.ofUser(event.data.user_id, workspaceId);
        return email === null ? undefined : noticeMail(event, email, workspaceName, this.#dashboardUrl);
      }
    }
  }

  /** A relay that rejects the recipient permanently would reject every retry. */
  async #send({ to, subject, text, ...options }: AccountMail, { id, type }: AccountEvent): Promise<void> {
    const notice = { address: to, kind: type, at: this.clock.now() };
    if (!(await this.limits.take(notice))) {
      this.log.warn(
        { event: id, type },
        'A mail about an account was not sent, because its mailbox had too many of them',
      );
      return;
    }
    try {
      await this.mail.send(to, subject, text, options);
    } catch (error) {
      await this.limits.release(notice);
      if (!Refusal.is(error) || error.details['retry_after_s'] !== undefined) throw error;
      this.log.warn({ event: id, type }, 'The relay permanently rejected a mail about an account');
    }
  }

  #remember(id: string): void {
    this.#mailed.add(id);
    if (this.#mailed.size <= REMEMBERED) return;
    const [oldest] = this.#mailed;
    if (oldest !== undefined) this.#mailed.delete(oldest);
  }
}
