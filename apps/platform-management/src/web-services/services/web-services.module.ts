import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../../accounts/quotas/quota-usage.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { ChangeWebService } from './change-web-service.js';
import { ConfiguredWebServiceSettings } from './configured-web-service-settings.js';
import { CreateWebService } from './create-web-service.js';
import { DeleteWebService } from './delete-web-service.js';
import { FollowLogs } from './follow-logs.js';
import { GetLogs } from './get-logs.js';
import { ListProcesses } from './list-processes.js';
import { WebServiceSettings } from './ports.js';
import { RestartWebService } from './restart-web-service.js';
import { StartWebService } from './start-web-service.js';
import { StopWebService } from './stop-web-service.js';
import { WebServiceGauges } from './telemetry/web-service-gauges.js';
import { WebServiceMetrics } from './telemetry/web-service-metrics.js';
import { WebServiceRepository } from './web-service-repository.js';
import { WebServiceSummaries } from './web-service-summaries.js';
import { WebServiceUrls } from './web-service-urls.js';
import { WebServices } from './web-services.projection.js';

/** Web services: their aggregate, which includes deployments and moderation, and their lifecycle commands. */
@Module({
  imports: [prisma, ProjectsModule, QuotaUsageModule, RuntimeModule],
  providers: [
    CreateWebService,
    ChangeWebService,
    DeleteWebService,
    StartWebService,
    RestartWebService,
    StopWebService,
    FollowLogs,
    GetLogs,
    ListProcesses,
    WebServices,
    WebServiceUrls,
    WebServiceGauges,
    WebServiceMetrics,
    WebServiceRepository,
    WebServiceSummaries,
    { provide: WebServiceSettings, useClass: ConfiguredWebServiceSettings },
  ],
  exports: [
    WebServices,
    WebServiceUrls,
    WebServiceMetrics,
    WebServiceRepository,
    WebServiceSummaries,
    WebServiceSettings,
  ],
})
export class WebServicesModule {}
