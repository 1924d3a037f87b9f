import { Inject, Injectable } from '@nestjs/common';
import { getWorkspaceOwners, mailAboutLogDrain, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles, RequestClient } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { logDrainMailText } from './log-drain-mail-text.js';
import { OwnerMailer } from './owner-mailer.js';

/** Mails the owners about a log drain that fails or was disabled. */
@Injectable()
export class MailAboutLogDrain {
  constructor(
    private readonly requests: RequestClient,
    private readonly mailer: OwnerMailer,
    @Inject(CONFIG) private readonly config: Pick<EmailSendConfig, 'publicUrl'>,
  ) {}

  @Handles(mailAboutLogDrain)
  async mail(request: RequestOf<typeof mailAboutLogDrain>): Promise<ReplyOf<typeof mailAboutLogDrain>> {
    const { workspace_id, log_drain_id: resourceId, state, since } = request;
    const { recipients } = await this.requests.request(getWorkspaceOwners, { workspace_id });
    const notice = { resourceId, kind: `log-drain-${state}`, occurredAt: new Date(since) };
    const dashboardUrl = `${this.config.publicUrl.replace(/\/+$/, '')}/dashboard`;
    await this.mailer.mail(recipients, notice, logDrainMailText(request, dashboardUrl));
    return {};
  }
}
