import { Injectable } from '@nestjs/common';
import { mailAboutWebhook, type RequestOf } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { Database, Every } from '@postern/service-host';
import { DISABLED_BY_OWNER } from './webhook.js';
import { answerOf, WebhookHealths } from './webhook-health.js';
import { DELETE_NEEDLESS_NOTICES, DELETE_NOTICE, FIND_DUE_NOTICES, SAVE_NOTICE } from './webhook-notices.sql.js';

interface DueNotice {
  readonly id: string;
  readonly service_id: string;
  readonly url: string;
  readonly since: Date;
  readonly state: RequestOf<typeof mailAboutWebhook>['state'];
}

/**
 * Has the owners mailed about webhooks that keep failing: once for each episode, and once when it is over. email-send sends
 * no mail twice, so that a notice that was not saved can be repeated.
 */
@Injectable()
export class MailAboutWebhooks {
  constructor(
    private readonly database: Database,
    private readonly healths: WebhookHealths,
    private readonly requests: RequestClient,
  ) {}

  @Every(60_000, 'mail about failing webhooks', { onOneReplica: true })
  async run(): Promise<void> {
    const { pool } = this.database;
    await pool.query(DELETE_NEEDLESS_NOTICES, [DISABLED_BY_OWNER]);
    const { rows } = await pool.query<DueNotice>(FIND_DUE_NOTICES, [DISABLED_BY_OWNER]);
    const healths = await this.healths.of(rows.map(({ id }) => id));
    for (const { id, service_id, url, since, state } of rows) {
      const health = healths.get(id);
      // Attempts are repeated within seconds at first: few of them are no episode.
      if (state === 'failing' && health?.state !== 'failing') continue;
      // A webhook that was enabled again has no failures yet, and no success.
      if (state === 'recovered' && health?.last_attempt?.outcome !== 'accepted') continue;
      await this.requests.request(mailAboutWebhook, {
        service_id,
        webhook_id: id,
        url,
        state,
        since: since.toISOString(),
        answer: (health && answerOf(health)) ?? null,
      });
      await (state === 'recovered' ? pool.query(DELETE_NOTICE, [id]) : pool.query(SAVE_NOTICE, [id, state, since]));
    }
  }
}
