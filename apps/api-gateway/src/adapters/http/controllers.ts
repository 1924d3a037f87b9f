import type { Type } from '@nestjs/common';
import { ApiKeysController } from './dashboard/api-keys.controller.js';
import { DashboardDatabasesController } from './dashboard/databases.controller.js';
import { EmailServicesController } from './dashboard/email-services.controller.js';
import { MessagesController } from './dashboard/messages.controller.js';
import { ModerationController } from './dashboard/moderation.controller.js';
import { PlatformKeysController } from './dashboard/platform-keys.controller.js';
import {
  DashboardDeploymentsController,
  DashboardEnvironmentController,
  DashboardLogsAndMetricsController,
  DashboardProjectSecretsController,
  DashboardProjectsController,
  DashboardWebServicesController,
} from './dashboard/platform-resources.controller.js';
import { SendingDomainsController } from './dashboard/sending-domains.controller.js';
import { SessionController } from './dashboard/session.controller.js';
import { SuppressionsController } from './dashboard/suppressions.controller.js';
import { UsersController } from './dashboard/users.controller.js';
import { VerifiedRecipientsController } from './dashboard/verified-recipients.controller.js';
import { WebhookDeliveriesController } from './dashboard/webhook-deliveries.controller.js';
import { WebhooksController } from './dashboard/webhooks.controller.js';
import { EmailsController } from './emails.controller.js';
import { HealthController } from './health.controller.js';
import { DashboardPagesController } from './pages/dashboard-pages.controller.js';
import { DocumentationController } from './pages/documentation.controller.js';
import { DatabasesController } from './platform/databases.controller.js';
import { DeploymentsController } from './platform/deployments.controller.js';
import { EnvironmentController } from './platform/environment.controller.js';
import { LogsAndMetricsController } from './platform/logs-and-metrics.controller.js';
import { OwnKeyController } from './platform/own-key.controller.js';
import { ProjectSecretsController } from './platform/project-secrets.controller.js';
import { ProjectsController } from './platform/projects.controller.js';
import { WebServicesController } from './platform/web-services.controller.js';
import { TrackingController } from './tracking.controller.js';

/** In the public OpenAPI document. */
export const PUBLIC_CONTROLLERS: readonly Type[] = [
  EmailsController,
  OwnKeyController,
  ProjectsController,
  ProjectSecretsController,
  WebServicesController,
  LogsAndMetricsController,
  DeploymentsController,
  EnvironmentController,
  DatabasesController,
  TrackingController,
  HealthController,
  DocumentationController,
  DashboardPagesController,
];

/** In the OpenAPI document of the dashboard. */
export const DASHBOARD_CONTROLLERS: readonly Type[] = [
  SessionController,
  UsersController,
  EmailServicesController,
  ApiKeysController,
  SendingDomainsController,
  VerifiedRecipientsController,
  MessagesController,
  SuppressionsController,
  WebhooksController,
  WebhookDeliveriesController,
  DashboardProjectsController,
  DashboardProjectSecretsController,
  DashboardWebServicesController,
  DashboardLogsAndMetricsController,
  DashboardDeploymentsController,
  DashboardEnvironmentController,
  DashboardDatabasesController,
  PlatformKeysController,
  ModerationController,
];
