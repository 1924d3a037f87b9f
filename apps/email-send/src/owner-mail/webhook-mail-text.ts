import type { mailAboutWebhook, RequestOf } from '@postern/contracts';
import { plainName } from '../system-mail/plain-name.js';
import { plainSentence } from './plain-sentence.js';
import type { OwnerNotification } from './ports.js';

type AboutWebhook = RequestOf<typeof mailAboutWebhook>;

const SUBJECTS: Readonly<Record<AboutWebhook['state'], string>> = {
  failing: 'Webhook fails',
  disabled: 'Webhook disabled',
  recovered: 'Webhook works again',
};
const SENTENCES: Readonly<Record<AboutWebhook['state'], string>> = {
  failing: 'The endpoint has accepted no event for some time. Postern sends each event again for 24 hours.',
  disabled: 'Postern disabled the webhook, because its endpoint accepted no event for three days. Its events are kept.',
  recovered: 'The endpoint accepts events again. Replay the events that it missed on the page of the webhook:',
};
const ADVICE: Readonly<Record<AboutWebhook['state'], readonly string[]>> = {
  failing: ['', 'Repair the endpoint. View its attempts:'],
  disabled: ['', 'Repair the endpoint, enable the webhook, and replay the events that it missed:'],
  recovered: [],
};

/** The mail about the state of a webhook, in plain text. Its only links are those to the dashboard. */
export const webhookMailText = (
  { service_id, webhook_id, url, state, since, answer }: AboutWebhook,
  serviceName: string,
  dashboardUrl: string,
): { readonly subject: string; readonly text: string } => {
  const name = plainName(serviceName) || 'without a plain name';
  const lines = [
    SENTENCES[state],
    ...(state === 'recovered' ? [`${dashboardUrl}/services/${service_id}/webhooks/${webhook_id}`] : []),
    '',
    `Email service: ${name}`,
    `Endpoint: ${plainSentence(url)}`,
    `Failing since: ${since.slice(0, 16).replace('T', ' ')} UTC`,
    ...(answer === null || state === 'recovered' ? [] : [`Last answer: ${plainSentence(answer)}`]),
    ...ADVICE[state],
    ...(state === 'recovered' ? [] : [`${dashboardUrl}/services/${service_id}/webhooks/${webhook_id}`]),
    '',
    'You get this email because you are an owner of the workspace. Turn these emails off:',
    `${dashboardUrl}/account`,
    '',
  ];
  return { subject: `${SUBJECTS[state]}: ${name}`, text: lines.join('\n') };
};

/** The notification about the state of a webhook, for the tenant's own system. */
export const webhookNotification = (
  { service_id, webhook_id, url, state, since, answer }: AboutWebhook,
  service: { readonly name: string; readonly workspaceId: string },
  now: Date,
  dashboardUrl: string,
): OwnerNotification => ({
  id: `webhook-${state}-${webhook_id}-${since}`,
  event: `webhook_${state}`,
  timestamp: now.toISOString(),
  workspace_id: service.workspaceId,
  resource: { type: 'webhook', id: webhook_id, name: url.slice(0, 2_000) },
  summary: `${SUBJECTS[state]}: ${service.name}`,
  text: `${SENTENCES[state].replace(/ on the page of the webhook:$/, '.')}${answer === null || state === 'recovered' ? '' : `\nLast answer: ${answer}`}`,
  url: `${dashboardUrl}/services/${service_id}/webhooks/${webhook_id}`,
});
