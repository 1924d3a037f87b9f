import { Inject, Injectable } from '@nestjs/common';
import { getWorkspaceOwners, mailAboutLogDrain, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles, RequestClient } from '@postern/messaging';
import { CONFIG, DatabaseClock, type DatabaseTime } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { dashboardUrlOf } from '../infrastructure/dashboard-url.js';
import { logDrainMailText, logDrainNotification } from './log-drain-mail-text.js';
import { OwnerMailer } from './owner-mailer.js';
import { OwnerNotifications } from './ports.js';

/** Mails the owners about a log drain that fails or was disabled, and has the notification targets told. */
@Injectable()
export class MailAboutLogDrain {
  constructor(
    private readonly requests: RequestClient,
    private readonly mailer: OwnerMailer,
    private readonly notifications: OwnerNotifications,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
    @Inject(CONFIG) private readonly config: Pick<EmailSendConfig, 'publicUrl'>,
  ) {}

  @Handles(mailAboutLogDrain)
  async mail(request: RequestOf<typeof mailAboutLogDrain>): Promise<ReplyOf<typeof mailAboutLogDrain>> {
    const { workspace_id, log_drain_id: resourceId, state, since } = request;
    const { recipients } = await this.requests.request(getWorkspaceOwners, { workspace_id });
    const notice = { resourceId, kind: `log-drain-${state}`, occurredAt: new Date(since) };
    const dashboardUrl = dashboardUrlOf(this.config);
    await Promise.all([
      this.notifications.notify(logDrainNotification(request, this.clock.now(), dashboardUrl)),
      this.mailer.mail(recipients, notice, logDrainMailText(request, dashboardUrl)),
    ]);
    return {};
  }
}
