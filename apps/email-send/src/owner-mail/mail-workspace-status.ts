import { Inject, Injectable } from '@nestjs/common';
import {
  listPlatformProblems,
  listSenderProblems,
  listStatusMails,
  listWebhookProblems,
  type ReplyOf,
  type WorkspaceStatus,
  workspaceStatusFrom,
} from '@postern/contracts';
import { isUnanswered, RequestClient } from '@postern/messaging';
import { CONFIG, Every, ServiceLog, type TaskRun } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { EmailServices } from '../email-services/email-services.projection.js';
import { dashboardUrlOf } from '../infrastructure/dashboard-url.js';
import { ListEmailProblems } from '../problems/list-email-problems.js';
import { OwnerMailer, type OwnerNotice } from './owner-mailer.js';
import { statusMailText } from './status-mail-text.js';

/** The hour of the day, in UTC, from which the mail is sent. */
const FROM_HOUR = 7;
const EVERY_MS = 10 * 60_000;
const PAGE = 100;
const KIND = 'workspace-status';

type MailedWorkspace = ReplyOf<typeof listStatusMails>['workspaces'][number];

/**
 * Mails the owners of each workspace once a day what needs somebody, as the home page shows it; nothing if nothing does. The
 * claim of a day is taken before the check, so that no replica and no restart mails twice.
 */
@Injectable()
export class MailWorkspaceStatus {
  /** The day on which every workspace was checked, for this process. */
  #done: string | undefined;
  readonly #dashboardUrl: string;

  constructor(
    private readonly requests: RequestClient,
    private readonly services: EmailServices,
    private readonly emailProblems: ListEmailProblems,
    private readonly mailer: OwnerMailer,
    private readonly log: ServiceLog,
    @Inject(CONFIG) config: Pick<EmailSendConfig, 'publicUrl'>,
  ) {
    this.#dashboardUrl = dashboardUrlOf(config);
  }

  @Every(EVERY_MS, 'mail the status of workspaces', { onOneReplica: true })
  async run({ now, signal }: Pick<TaskRun, 'now' | 'signal'>): Promise<void> {
    const day = now.toISOString().slice(0, 10);
    if (now.getUTCHours() < FROM_HOUR || this.#done === day) return;
    let isComplete = true;
    let after: string | null = null;
    do {
      const page: ReplyOf<typeof listStatusMails> = await this.requests.request(listStatusMails, {
        after,
        limit: PAGE,
      });
      for (const workspace of page.workspaces) {
        if (signal.aborted) return;
        if (!(await this.#mail(workspace, new Date(`${day}T00:00:00Z`)))) isComplete = false;
      }
      after = page.workspaces.length < PAGE ? null : (page.workspaces.at(-1)?.id ?? null);
    } while (after !== null);
    if (isComplete) this.#done = day;
  }

  /** @returns false if the workspace must be tried again. */
  async #mail({ id, name, recipients }: MailedWorkspace, day: Date): Promise<boolean> {
    const notice: OwnerNotice = { resourceId: id, kind: KIND, occurredAt: day };
    const claimed = await this.mailer.claim(recipients, notice);
    if (claimed.length === 0) return true;
    const status = await this.#statusOf(id);
    if (status.problems.length === 0) {
      // What did not respond may be what is wrong.
      if (status.unchecked.length > 0) await this.mailer.release(claimed, notice);
      return status.unchecked.length === 0;
    }
    const mail = statusMailText(status, name, this.#dashboardUrl);
    const unsent: string[] = [];
    for (const recipient of claimed) {
      const response = await this.mailer.send(recipient, notice, mail);
      if (response !== undefined) unsent.push(response);
    }
    if (unsent[0] !== undefined) this.log.warn({ workspace: id, response: unsent[0] }, 'The daily mail was not sent');
    return unsent.length === 0;
  }

  async #statusOf(workspaceId: string): Promise<WorkspaceStatus> {
    const workspace = { workspace_id: workspaceId };
    const services = (await this.services.list(workspace)).map(({ id, name }) => ({ id, name }));
    return workspaceStatusFrom(
      {
        platform: this.requests.request(listPlatformProblems, workspace),
        emailServices: this.emailProblems.execute(workspace),
        webhooks: this.requests.request(listWebhookProblems, { services }),
        messages: this.requests.request(listSenderProblems, { services }),
      },
      isUnanswered,
    );
  }
}
