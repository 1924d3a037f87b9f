import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DASHBOARD_CONTROLLERS, PUBLIC_CONTROLLERS } from './adapters/http/controllers.js';
import { OpenApiDocuments } from './adapters/http/openapi/documents.js';
import { EngagementRecorder } from './commands/record-engagement.js';
import { GatewayConfig } from './config.js';

@Module({})
export class ApiGatewayModule {
  /** `outside` provides the ports: `Services`, `TrackingLinks` and `Readiness`. */
  static with(config: GatewayConfig, outside: readonly Provider[]): DynamicModule {
    const documented = { publicApi: PUBLIC_CONTROLLERS, dashboardApi: DASHBOARD_CONTROLLERS };
    return {
      module: ApiGatewayModule,
      controllers: [...PUBLIC_CONTROLLERS, ...DASHBOARD_CONTROLLERS],
      providers: [
        ...outside,
        { provide: GatewayConfig, useValue: config },
        { provide: OpenApiDocuments, useFactory: () => new OpenApiDocuments(documented, config.publicUrl) },
        EngagementRecorder,
      ],
    };
  }
}
