import { Inject, Injectable } from '@nestjs/common';
import { getWorkspaceOwners, mailAboutWebhook, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles, RequestClient } from '@postern/messaging';
import { CONFIG, DatabaseClock, type DatabaseTime } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { EmailServices } from '../email-services/email-services.projection.js';
import { dashboardUrlOf } from '../infrastructure/dashboard-url.js';
import { OwnerMailer } from './owner-mailer.js';
import { OwnerNotifications } from './ports.js';
import { webhookMailText, webhookNotification } from './webhook-mail-text.js';

/** Mails the owners about a webhook that fails, was disabled, or works again, and has the notification targets told; nobody if its service was deleted. */
@Injectable()
export class MailAboutWebhook {
  constructor(
    private readonly services: EmailServices,
    private readonly requests: RequestClient,
    private readonly mailer: OwnerMailer,
    private readonly notifications: OwnerNotifications,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
    @Inject(CONFIG) private readonly config: Pick<EmailSendConfig, 'publicUrl'>,
  ) {}

  @Handles(mailAboutWebhook)
  async mail(request: RequestOf<typeof mailAboutWebhook>): Promise<ReplyOf<typeof mailAboutWebhook>> {
    const service = await this.services.ownedBy(request.service_id);
    if (!service) return {};
    const { recipients } = await this.requests.request(getWorkspaceOwners, { workspace_id: service.workspaceId });
    const notice = {
      resourceId: request.webhook_id,
      kind: `webhook-${request.state}`,
      occurredAt: new Date(request.since),
    };
    const dashboardUrl = dashboardUrlOf(this.config);
    await Promise.all([
      this.notifications.notify(webhookNotification(request, service, this.clock.now(), dashboardUrl)),
      this.mailer.mail(recipients, notice, webhookMailText(request, service.name, dashboardUrl)),
    ]);
    return {};
  }
}
