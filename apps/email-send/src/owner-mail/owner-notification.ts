import type { NotificationEvent, OwnerMailFacts } from '@postern/contracts';
import { messageAbout, type OwnerMessage } from './owner-mail-text.js';
import type { OwnerEvent, OwnerNotification } from './ports.js';

const EVENTS: Readonly<Record<OwnerEvent['type'], NotificationEvent>> = {
  'platform-management.deployment-live.v1': 'deployment_live',
  'platform-management.deployment-failed.v1': 'deployment_failed',
  'platform-management.web-service-unanswering.v1': 'web_service_failed',
  'platform-management.database-nearly-full.v1': 'database_nearly_full',
};

/**
 * The notification about an event. Unlike a mail in the operator's name it goes to the tenant's own system, so it has names
 * and reasons as they are.
 */
export const ownerNotification = (
  event: OwnerEvent,
  facts: OwnerMailFacts & { readonly workspace_id: string },
  dashboardUrl: string,
): OwnerNotification => {
  const { subject, what, page } = aboutEvent(event, facts);
  const { data } = event;
  return {
    id: event.id,
    event: EVENTS[event.type],
    timestamp: event.occurred_at,
    workspace_id: facts.workspace_id,
    resource: {
      ...('database_id' in data
        ? { type: 'database' as const, id: data.database_id }
        : { type: 'web_service' as const, id: data.web_service_id }),
      name: facts.name,
    },
    summary: subject,
    text: facts.reason === null ? what : `${what}\nReason: ${facts.reason.slice(0, 2_000)}`,
    url: `${dashboardUrl}${page}`,
  };
};

const aboutEvent = (event: OwnerEvent, facts: OwnerMailFacts): Omit<OwnerMessage, 'advice'> => {
  if (event.type !== 'platform-management.deployment-live.v1') return messageAbout(event, facts.name, facts);
  const { web_service_id, deployment_id } = event.data;
  return {
    subject: `Deployment live: ${facts.name}`,
    what: `A deployment of the web service "${facts.name}" is live.`,
    page: `/web-services/${web_service_id}/deployments/${deployment_id}`,
  };
};
