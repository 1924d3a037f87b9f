import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { cancelDeployment } from '@postern/contracts';
import { Acting, type ActingUser } from '../acting-user.js';
import { Answers } from '../openapi/describe.js';
import { DeploymentsController, type OfDeployment, ofDeployment } from '../platform/deployments.controller.js';
import { EnvironmentController } from '../platform/environment.controller.js';
import { LogsAndMetricsController } from '../platform/logs-and-metrics.controller.js';
import { ProjectSecretsController } from '../platform/project-secrets.controller.js';
import { ProjectsController } from '../platform/projects.controller.js';
import { WebServicesController } from '../platform/web-services.controller.js';
import { SessionGuard } from './session.guard.js';

// The calls of the platform API for the user of a session: the same handlers, another way to say who acts.

@Controller('dashboard/api/projects')
@UseGuards(SessionGuard)
export class DashboardProjectsController extends ProjectsController {}

@Controller('dashboard/api/projects/:project_id/secrets')
@UseGuards(SessionGuard)
export class DashboardProjectSecretsController extends ProjectSecretsController {}

@Controller('dashboard/api/web-services')
@UseGuards(SessionGuard)
export class DashboardWebServicesController extends WebServicesController {}

@Controller('dashboard/api/web-services/:web_service_id')
@UseGuards(SessionGuard)
export class DashboardLogsAndMetricsController extends LogsAndMetricsController {}

@Controller('dashboard/api/web-services/:web_service_id/env')
@UseGuards(SessionGuard)
export class DashboardEnvironmentController extends EnvironmentController {}

@Controller('dashboard/api/web-services/:web_service_id/deployments')
@UseGuards(SessionGuard)
export class DashboardDeploymentsController extends DeploymentsController {
  @Post(':deployment_id/cancel')
  @HttpCode(200)
  @Answers(cancelDeployment, 'End a deployment that is queued, building or releasing')
  cancel(@Acting() user: ActingUser, @Param({ schema: ofDeployment }) of: OfDeployment) {
    return this.services.ask(cancelDeployment, { user_id: user.userId, ...of }, user);
  }
}
