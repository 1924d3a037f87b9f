import {
  listWebhookProblems,
  type Problem,
  type ReplyOf,
  type RequestOf,
  type WebhookHealth,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { answerOf, type TroubledWebhook, WebhookHealths } from './webhook-health.js';

/** Lists the webhooks of email services that fail, or that were disabled because they failed. */
@Handles(listWebhookProblems)
export class ListWebhookProblems {
  constructor(private readonly healths: WebhookHealths) {}

  async execute({ services }: RequestOf<typeof listWebhookProblems>): Promise<ReplyOf<typeof listWebhookProblems>> {
    const rows = await this.healths.troubled(services.map(({ id }) => id));
    const healths = await this.healths.of(rows.map(({ id }) => id));
    const names = new Map(services.map(({ id, name }) => [id, name]));
    return {
      problems: rows.flatMap(row => {
        const health = healths.get(row.id);
        if (!health || (row.enabled && health.state !== 'failing')) return [];
        return [problemOf(row, health, names.get(row.service_id) ?? '')];
      }),
    };
  }
}

const problemOf = (row: TroubledWebhook, health: WebhookHealth, service: string): Problem => {
  const answer = answerOf(health);
  const lastly = answer === undefined ? '' : ` The last answer was: ${answer}.`;
  return {
    kind: row.enabled ? 'webhook_failing' : 'webhook_disabled',
    severity: 'error',
    message: row.enabled
      ? `The webhook ${row.url} of “${service}” fails: ${health.failed_24h} of ${health.attempted_24h} events of the last 24 hours were not accepted.${lastly}`
      : `The webhook ${row.url} of “${service}” was disabled, because ${row.disabled_reason}.${lastly}`,
    fix: row.enabled
      ? 'Repair the endpoint. Events are sent again for 24 hours; after that, replay them.'
      : 'Repair the endpoint, enable the webhook, and replay the events that it missed.',
    page: `/services/${row.service_id}/webhooks/${row.id}`,
    resource: { type: 'webhook', id: row.id, name: row.url },
    since: health.failing_since,
  };
};
