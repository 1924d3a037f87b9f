import type { AddressInfo } from 'node:net';
import fastifyStatic from '@fastify/static';
import {
  type Abstract,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Provider,
} from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CONFIG, Liveness, Metrics, Readiness, ServiceLog } from '@postern/service-host';
import { apiKeyHashOf } from './adapters/http/api-key.js';
import { DASHBOARD_CONTROLLERS, PUBLIC_CONTROLLERS } from './adapters/http/controllers.js';
import { HttpErrorsFilter } from './adapters/http/errors/http-errors.filter.js';
import { ShapePipe } from './adapters/http/input/shape-pipe.js';
import { OpenApiDocuments } from './adapters/http/openapi/documents.js';
import { admit, PLATFORM_PREFIX } from './adapters/http/platform/admission.js';
import { publicServer } from './adapters/http/server/public-server.js';
import { requestObserver } from './adapters/http/server/request-observer.js';
import { RouteTable } from './adapters/http/server/route-table.js';
import { EngagementRecorder } from './commands/record-engagement.js';
import type { GatewayConfig } from './config.js';
import { Services, TrackingLinks } from './ports.js';

@Module({ controllers: [...PUBLIC_CONTROLLERS, ...DASHBOARD_CONTROLLERS] })
class PublicModule {}

/** What the controllers need, taken over from the service itself. */
const SHARED = [CONFIG, ServiceLog, Readiness, Liveness, Services, TrackingLinks, EngagementRecorder];

/**
 * The public port: an application of its own, because health details and metrics belong to the operator's port only.
 * It opens when the service is up, and closes before anything that it stands on.
 */
@Injectable()
export class PublicDoor implements OnApplicationBootstrap, OnModuleDestroy {
  readonly routes = new RouteTable();
  private app: NestFastifyApplication | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    private readonly moduleRef: ModuleRef,
  ) {}

  get port(): number {
    const address: AddressInfo | string | null | undefined = this.app?.getHttpServer().address();
    if (!address || typeof address === 'string') throw new Error('The public door is closed');
    return address.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, routes } = this;
    const services = this.given(Services);
    const adapter = publicServer({
      ...config,
      routes,
      secure: config.publicUrl.startsWith('https:'),
      ...requestObserver(this.given(Metrics), this.given(ServiceLog)),
      beforeBody: (request, reply) => {
        const { url } = request.routeOptions;
        if (url?.startsWith(PLATFORM_PREFIX)) return admit(services, request, reply);
        if (url === '/emails' && request.method === 'POST') apiKeyHashOf(request);
        return undefined;
      },
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      { module: PublicModule, providers: [...this.shared(), this.documents()] },
      adapter,
      { bodyParser: false, abortOnError: false },
    );
    await app.register(fastifyStatic, { root: import.meta.dirname, serve: false });
    app.useGlobalPipes(new ShapePipe());
    app.useGlobalFilters(new HttpErrorsFilter(routes, services, app.get(ServiceLog)));
    await app.listen(config.port, config.host);
    this.app = app;
  }

  /** Takes no new connections, answers what is under way, then tells of the opens and clicks still in memory. */
  async onModuleDestroy(): Promise<void> {
    await this.app?.close();
    await this.given(EngagementRecorder).drain(this.config.shutdownTimeoutMs / 3);
  }

  private given<T>(token: Abstract<T>): T {
    return this.moduleRef.get(token, { strict: false });
  }

  private shared(): Provider[] {
    return SHARED.map(token => ({ provide: token, useValue: this.moduleRef.get<unknown>(token, { strict: false }) }));
  }

  private documents(): Provider {
    const controllers = { publicApi: PUBLIC_CONTROLLERS, dashboardApi: DASHBOARD_CONTROLLERS };
    return { provide: OpenApiDocuments, useValue: new OpenApiDocuments(controllers, this.config.publicUrl) };
  }
}
