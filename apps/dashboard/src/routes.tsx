import type { ComponentChild } from 'preact';
import { AccountPage } from './pages/account-page.js';
import { EmailServicesPage } from './pages/email-services-page.js';
import { NotFoundPage } from './pages/not-found-page.js';
import { DatabasesPage } from './pages/platform/databases-page.js';
import { ModerationPage } from './pages/platform/moderation-page.js';
import { PlatformKeysPage } from './pages/platform/platform-keys-page.js';
import { ProjectPage } from './pages/platform/project-page.js';
import { ProjectsPage } from './pages/platform/projects-page.js';
import { ApiKeysPage } from './pages/service/api-keys-page.js';
import { MessagePage } from './pages/service/message-page.js';
import { MessagesPage } from './pages/service/messages-page.js';
import { OverviewPage } from './pages/service/overview-page.js';
import { SendingDomainsPage } from './pages/service/sending-domains-page.js';
import { ServiceFrame } from './pages/service/service-frame.js';
import { SettingsPage } from './pages/service/settings-page.js';
import { SuppressionsPage } from './pages/service/suppressions-page.js';
import { VerifiedRecipientsPage } from './pages/service/verified-recipients-page.js';
import { WebhookPage } from './pages/service/webhook-page.js';
import { WebhooksPage } from './pages/service/webhooks-page.js';
import { UsersPage } from './pages/users-page.js';
import { DeploymentsPage } from './pages/web-service/deployments-page.js';
import { EnvironmentPage } from './pages/web-service/environment-page.js';
import { LogsPage } from './pages/web-service/logs-page.js';
import { WebServiceFrame } from './pages/web-service/web-service-frame.js';
import { WebServicePage } from './pages/web-service/web-service-page.js';
import { matchPath } from './path-pattern.js';

type Show = (parts: Record<string, string>) => ComponentChild;

/** Pages of one email service, below `/services/:service_id`. */
const OF_A_SERVICE: Readonly<Record<string, Show>> = {
  '': () => <OverviewPage />,
  '/api-keys': () => <ApiKeysPage />,
  '/domains': () => <SendingDomainsPage />,
  '/recipients': () => <VerifiedRecipientsPage />,
  '/webhooks': () => <WebhooksPage />,
  '/webhooks/:webhook_id': parts => <WebhookPage key={parts['webhook_id']} webhookId={parts['webhook_id']!} />,
  '/messages': () => <MessagesPage />,
  '/messages/:email_id': parts => <MessagePage key={parts['email_id']} emailId={parts['email_id']!} />,
  '/suppressions': () => <SuppressionsPage />,
  '/settings': () => <SettingsPage />,
};

/** Pages of one web service, below `/web-services/:web_service_id`. */
const OF_A_WEB_SERVICE: Readonly<Record<string, Show>> = {
  '': () => <WebServicePage />,
  '/deployments': () => <DeploymentsPage />,
  '/logs': () => <LogsPage />,
  '/environment': () => <EnvironmentPage />,
};

const PAGES: Readonly<Record<string, Show>> = {
  '/': () => <EmailServicesPage />,
  '/projects': () => <ProjectsPage />,
  '/projects/:project_id': parts => <ProjectPage key={parts['project_id']} projectId={parts['project_id']!} />,
  '/databases': () => <DatabasesPage />,
  '/platform-keys': () => <PlatformKeysPage />,
  '/moderation': () => <ModerationPage />,
  '/users': () => <UsersPage />,
  '/account': () => <AccountPage />,
};

/** The page of a path inside the application. */
export const pageAt = (path: string): ComponentChild => {
  for (const [pattern, show] of Object.entries(PAGES)) {
    const parts = matchPath(pattern, path);
    if (parts) return show(parts);
  }
  for (const [pattern, show] of Object.entries(OF_A_SERVICE)) {
    const parts = matchPath(`/services/:service_id${pattern}`, path);
    if (parts)
      return (
        <ServiceFrame key={parts['service_id']} serviceId={parts['service_id']!} path={path}>
          {show(parts)}
        </ServiceFrame>
      );
  }
  for (const [pattern, show] of Object.entries(OF_A_WEB_SERVICE)) {
    const parts = matchPath(`/web-services/:web_service_id${pattern}`, path);
    if (parts)
      return (
        <WebServiceFrame key={parts['web_service_id']} webServiceId={parts['web_service_id']!} path={path}>
          {show(parts)}
        </WebServiceFrame>
      );
  }
  return <NotFoundPage />;
};
