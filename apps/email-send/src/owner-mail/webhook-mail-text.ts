import type { mailAboutWebhook, RequestOf } from '@postern/contracts';
import { plainName } from '../system-mail/plain-name.js';
import { plainSentence } from './plain-sentence.js';

type AboutWebhook = RequestOf<typeof mailAboutWebhook>;

const SUBJECTS: Readonly<Record<AboutWebhook['state'], string>> = {
  failing: 'Webhook fails',
  disabled: 'Webhook disabled',
  recovered: 'Webhook works again',
};
const SENTENCES: Readonly<Record<AboutWebhook['state'], string>> = {
  failing: 'The endpoint has accepted no event since the time below. Postern sends each event again for 24 hours.',
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
