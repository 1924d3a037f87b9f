import type { ComponentChild } from 'preact';
import { AccountPage } from './pages/account-page.js';
import { AuditLogPage } from './pages/audit-log-page.js';
import { EmailServicesPage } from './pages/email-services-page.js';
import { HomePage } from './pages/home-page.js';
import { InvitationsPage } from './pages/invitations-page.js';
import { ManagementKeysPage } from './pages/management-keys-page.js';
import { MembersPage } from './pages/members-page.js';
import { ModerationPage } from './pages/moderation/moderation-page.js';
import { NotFoundPage } from './pages/not-found-page.js';
import { DatabasePage } from './pages/platform/database-page.js';
import { DatabasesPage } from './pages/platform/databases-page.js';
import { PlatformKeyPage } from './pages/platform/platform-key-page.js';
import { PlatformKeysPage } from './pages/platform/platform-keys-page.js';
import { ProjectPage } from './pages/platform/project-page.js';
import { ProjectsPage } from './pages/platform/projects-page.js';
import { ProviderEndpointsPage } from './pages/provider-endpoints-page.js';
import { ApiKeysPage } from './pages/service/api-keys-page.js';
import { MessagePage } from './pages/service/message-page.js';
import { MessagesPage } from './pages/service/messages-page.js';
import { OverviewPage } from './pages/service/overview-page.js';
import { RequestsPage } from './pages/service/requests-page.js';
import { ScheduledEmailsPage } from './pages/service/scheduled-emails-page.js';
import { SendingDomainsPage } from './pages/service/sending-domains-page.js';
import { ServiceLayout } from './pages/service/service-layout.js';
import { SettingsPage } from './pages/service/settings-page.js';
import { SuppressionsPage } from './pages/service/suppressions-page.js';
import { TemplatePage } from './pages/service/template-page.js';
import { TemplatesPage } from './pages/service/templates-page.js';
import { VerifiedRecipientsPage } from './pages/service/verified-recipients-page.js';
import { WebhookPage } from './pages/service/webhook-page.js';
import { WebhooksPage } from './pages/service/webhooks-page.js';
import { SystemPage } from './pages/system/system-page.js';
import { UsersPage } from './pages/users-page.js';
import { CronJobPage } from './pages/web-service/cron-job-page.js';
import { DeploymentPage } from './pages/web-service/deployment-page.js';
import { DeploymentsPage } from './pages/web-service/deployments-page.js';
import { EnvironmentPage } from './pages/web-service/environment-page.js';
import { LogsPage } from './pages/web-service/logs-page.js';
import { RunPage } from './pages/web-service/run-page.js';
import { RunsPage } from './pages/web-service/runs-page.js';
import { SettingsPage as WebServiceSettingsPage } from './pages/web-service/settings-page.js';
import { WebServiceLayout } from './pages/web-service/web-service-layout.js';
import { WebServicePage } from './pages/web-service/web-service-page.js';
import { WorkspacePage } from './pages/workspace-page.js';
import { matchPath } from './route-pattern.js';

type Render = (params: Record<string, string>) => ComponentChild;

/** Pages of one email service, below `/services/:service_id`. */
const EMAIL_SERVICE_PAGES: Readonly<Record<string, Render>> = {
  '': () => <OverviewPage />,
  '/api-keys': () => <ApiKeysPage />,
  '/domains': () => <SendingDomainsPage />,
  '/recipients': () => <VerifiedRecipientsPage />,
  '/webhooks': () => <WebhooksPage />,
  '/webhooks/:webhook_id': params => <WebhookPage key={params['webhook_id']} webhookId={params['webhook_id']!} />,
  '/messages': () => <MessagesPage />,
  '/messages/:email_id': params => <MessagePage key={params['email_id']} emailId={params['email_id']!} />,
  '/scheduled': () => <ScheduledEmailsPage />,
  '/templates': () => <TemplatesPage />,
  '/templates/:template_id': params => <TemplatePage key={params['template_id']} templateId={params['template_id']!} />,
  '/requests': () => <RequestsPage />,
  '/suppressions': () => <SuppressionsPage />,
  '/settings': () => <SettingsPage />,
};

/** Pages of one web service, below `/web-services/:web_service_id`. */
const WEB_SERVICE_PAGES: Readonly<Record<string, Render>> = {
  '': () => <WebServicePage />,
  '/deployments': () => <DeploymentsPage />,
  '/deployments/:deployment_id': params => (
    <DeploymentPage key={params['deployment_id']} deploymentId={params['deployment_id']!} />
  ),
  '/logs': () => <LogsPage />,
  '/runs': () => <RunsPage />,
  '/runs/:run_id': params => <RunPage key={params['run_id']} runId={params['run_id']!} />,
  '/cron-jobs/:cron_job_id': params => <CronJobPage key={params['cron_job_id']} cronJobId={params['cron_job_id']!} />,
  '/environment': () => <EnvironmentPage />,
  '/settings': () => <WebServiceSettingsPage />,
};

const PAGES: Readonly<Record<string, Render>> = {
  '/': () => <HomePage />,
  '/email-services': () => <EmailServicesPage />,
  '/projects': () => <ProjectsPage />,
  '/projects/:project_id': params => <ProjectPage key={params['project_id']} projectId={params['project_id']!} />,
  '/databases': () => <DatabasesPage />,
  '/databases/:database_id': params => <DatabasePage key={params['database_id']} databaseId={params['database_id']!} />,
  '/management-keys': () => <ManagementKeysPage />,
  '/platform-keys': () => <PlatformKeysPage />,
  '/platform-keys/:key_id': params => <PlatformKeyPage key={params['key_id']} keyId={params['key_id']!} />,
  '/moderation': () => <ModerationPage />,
  '/system': () => <SystemPage />,
  '/users': () => <UsersPage />,
  '/provider-endpoints': () => <ProviderEndpointsPage />,
  '/workspace': () => <WorkspacePage />,
  '/members': () => <MembersPage />,
  '/invitations': () => <InvitationsPage />,
  '/audit-log': () => <AuditLogPage />,
  '/account': () => <AccountPage />,
};

/** Returns the page for a path inside the application. */
export const pageFor = (path: string): ComponentChild => {
  for (const [pattern, render] of Object.entries(PAGES)) {
    const params = matchPath(pattern, path);
    if (params) return render(params);
  }
  for (const [pattern, render] of Object.entries(EMAIL_SERVICE_PAGES)) {
    const params = matchPath(`/services/:service_id${pattern}`, path);
    if (params)
      return (
        <ServiceLayout key={params['service_id']} serviceId={params['service_id']!} path={path}>
          {render(params)}
        </ServiceLayout>
      );
  }
  for (const [pattern, render] of Object.entries(WEB_SERVICE_PAGES)) {
    const params = matchPath(`/web-services/:web_service_id${pattern}`, path);
    if (params)
      return (
        <WebServiceLayout key={params['web_service_id']} webServiceId={params['web_service_id']!} path={path}>
          {render(params)}
        </WebServiceLayout>
      );
  }
  return <NotFoundPage />;
};
