import type { OwnerMailFacts } from '@postern/contracts';
import { plainName } from '../system-mail/plain-name.js';
import { plainSentence } from './plain-sentence.js';
import type { MailedOwnerEvent } from './ports.js';

export interface OwnerMessage {
  readonly subject: string;
  readonly what: string;
  readonly advice: string;
  /** The page of the dashboard. */
  readonly page: string;
}

/** The mail about an event, in plain text. Its only links are those to the dashboard. */
export const ownerMailText = (
  event: MailedOwnerEvent,
  facts: OwnerMailFacts,
  dashboardUrl: string,
): { readonly subject: string; readonly text: string } => {
  const name = plainName(facts.name) || 'without a plain name';
  const { subject, what, advice, page } = messageAbout(event, name, facts);
  const lines = [
    what,
    '',
    `Workspace: ${plainName(facts.workspace_name)}`,
    ...(facts.project_name === null ? [] : [`Project: ${plainName(facts.project_name)}`]),
    `${facts.project_name === null ? 'Database' : 'Web service'}: ${name}`,
    `Time: ${event.occurred_at.slice(0, 16).replace('T', ' ')} UTC`,
    ...(facts.reason === null ? [] : [`Reason: ${plainSentence(facts.reason)}`]),
    '',
    advice,
    `${dashboardUrl}${page}`,
    '',
    'You get at most one such email per hour because you are an owner of the workspace. Turn these emails off:',
    `${dashboardUrl}/account`,
    '',
  ];
  return { subject, text: lines.join('\n') };
};

/** What a mail and a notification tell about an event. */
export const messageAbout = (
  { type, data }: MailedOwnerEvent,
  name: string,
  { is_live }: OwnerMailFacts,
): OwnerMessage => {
  switch (type) {
    case 'platform-management.deployment-failed.v1':
      return {
        subject: `Deployment failed: ${name}`,
        what: `A deployment of the web service "${name}" failed.${consequenceOf(is_live)}`,
        advice: 'View the log of the deployment:',
        page: `/web-services/${data.web_service_id}/deployments/${data.deployment_id}`,
      };
    case 'platform-management.web-service-unanswering.v1':
      return {
        subject: `Web service does not respond: ${name}`,
        what: `The web service "${name}" crashed or does not respond. Postern keeps restarting it.`,
        advice: 'View its log:',
        page: `/web-services/${data.web_service_id}/logs`,
      };
    case 'platform-management.database-nearly-full.v1':
      return {
        subject: `Database nearly full: ${name}`,
        what: `The database "${name}" uses at least 90 percent of the storage of its plan. When the storage is full, it becomes read-only.`,
        advice: 'Delete data, or move to a larger plan. View the database:',
        page: `/databases/${data.database_id}`,
      };
  }
};

const consequenceOf = (isLive: boolean | null): string => {
  if (isLive === null) return ' No version of it has been live so far.';
  return isLive ? ' The version before it is still live.' : ' No version of it is running now.';
};
