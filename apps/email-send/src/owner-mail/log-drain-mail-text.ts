import type { mailAboutLogDrain, RequestOf } from '@postern/contracts';
import { plainName } from '../system-mail/plain-name.js';
import { plainSentence } from './plain-sentence.js';
import type { OwnerNotification } from './ports.js';

type AboutLogDrain = RequestOf<typeof mailAboutLogDrain>;

const SUBJECTS: Readonly<Record<AboutLogDrain['state'], string>> = {
  failing: 'Log drain fails',
  disabled: 'Log drain disabled',
};
const SENTENCES: Readonly<Record<AboutLogDrain['state'], string>> = {
  failing: 'The receiver has accepted no log lines for some time. Postern keeps trying for three days.',
  disabled:
    'Postern disabled the log drain, because its receiver accepted no log lines for three days. Lines are kept as long as the log keeps them.',
};
const ADVICE: Readonly<Record<AboutLogDrain['state'], string>> = {
  failing: 'Repair the receiver, and test the log drain:',
  disabled: 'Repair the receiver, and enable the log drain. It continues after the last line that was sent:',
};

/** The mail about the state of a log drain, in plain text. Its only links are those to the dashboard. */
export const logDrainMailText = (
  { web_service_id, web_service_name, url, state, since, error }: AboutLogDrain,
  dashboardUrl: string,
): { readonly subject: string; readonly text: string } => {
  const name = plainName(web_service_name) || 'without a plain name';
  const lines = [
    SENTENCES[state],
    '',
    `Web service: ${name}`,
    `Receiver: ${plainSentence(url)}`,
    `Failing since: ${since.slice(0, 16).replace('T', ' ')} UTC`,
    ...(error === null ? [] : [`Last error: ${plainSentence(error)}`]),
    '',
    ADVICE[state],
    `${dashboardUrl}/web-services/${web_service_id}/settings`,
    '',
    'You get this email because you are an owner of the workspace. Turn these emails off:',
    `${dashboardUrl}/account`,
    '',
  ];
  return { subject: `${SUBJECTS[state]}: ${name}`, text: lines.join('\n') };
};

/** The notification about the state of a log drain, for the tenant's own system. */
export const logDrainNotification = (
  { workspace_id, web_service_id, web_service_name, log_drain_id, url, state, since, error }: AboutLogDrain,
  now: Date,
  dashboardUrl: string,
): OwnerNotification => ({
  id: `log-drain-${state}-${log_drain_id}-${since}`,
  event: `log_drain_${state}`,
  timestamp: now.toISOString(),
  workspace_id,
  resource: { type: 'log_drain', id: log_drain_id, name: url.slice(0, 2_000) },
  summary: `${SUBJECTS[state]}: ${web_service_name}`,
  text: `${SENTENCES[state]}${error === null ? '' : `\nLast error: ${error}`}`,
  url: `${dashboardUrl}/web-services/${web_service_id}/settings`,
});
