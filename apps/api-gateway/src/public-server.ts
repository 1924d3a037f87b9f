import type { AddressInfo } from 'node:net';
import fastifyStatic from '@fastify/static';
import {
  type Abstract,
  type DynamicModule,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CONFIG, Liveness, Metrics, Readiness, ServiceLog } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from './config.js';
import { apiKeyHashOf, assertValidApiKey } from './emails/api-key.js';
import { fastifyServer } from './http-server/fastify-server.js';
import { HttpErrorsFilter } from './http-server/http-errors.filter.js';
import { requestObserver } from './http-server/request-observer.js';
import { RouteTable } from './http-server/route-table.js';
import { admitCall, isPlatformRoute } from './platform-keys/admission.js';
import { PublicApiModule } from './public-api.module.js';
import { ShapePipe } from './request-validation/shape-pipe.js';
import { ServiceClient } from './service-client/ports.js';

/** Providers of the service that the features of the public port use. */
const SHARED = [CONFIG, ServiceLog, Readiness, Liveness, ServiceClient];

/**
 * Serves the public port as an application of its own, because the operator's port has health details and metrics.
 * Opens after the service has started, and closes before the parts that it depends on.
 */
@Injectable()
export class PublicServer implements OnApplicationBootstrap, OnModuleDestroy {
  readonly routes = new RouteTable();
  private app: NestFastifyApplication | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    private readonly moduleRef: ModuleRef,
    private readonly services: ServiceClient,
  ) {}

  get port(): number {
    const address: AddressInfo | string | null | undefined = this.app?.getHttpServer().address();
    if (!address || typeof address === 'string') throw new Error('The public port is closed');
    return address.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, routes } = this;
    const log = this.get(ServiceLog);
    const adapter = fastifyServer({
      ...config,
      routes,
      secure: config.publicUrl.startsWith('https:'),
      ...requestObserver(this.get(Metrics), log),
      beforeBody: (request, reply) => this.beforeBody(request, reply),
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      { module: PublicApiModule, imports: [this.sharedProviders()] },
      adapter,
      { bodyParser: false, abortOnError: false },
    );
    await app.register(fastifyStatic, { root: import.meta.dirname, serve: false });
    app.useGlobalPipes(new ShapePipe());
    app.useGlobalFilters(new HttpErrorsFilter(routes, log, request => this.authenticateUnread(request)));
    await app.listen(config.port, config.host);
    this.app = app;
  }

  /** Stops accepting connections, finishes open requests, and then records the queued opens and clicks. */
  async onModuleDestroy(): Promise<void> {
    await this.app?.close();
  }

  private beforeBody(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { url } = request.routeOptions;
    if (isPlatformRoute(url)) return admitCall(this.services, request, reply);
    if (url === '/emails' && request.method === 'POST') apiKeyHashOf(request);
    return undefined;
  }

  private async authenticateUnread(request: FastifyRequest): Promise<void> {
    if (request.routeOptions.url === '/emails') await assertValidApiKey(this.services, request);
  }

  private get<T>(token: Abstract<T>): T {
    return this.moduleRef.get(token, { strict: false });
  }

  private sharedProviders(): DynamicModule {
    const providers = SHARED.map(token => ({
      provide: token,
      useValue: this.moduleRef.get<unknown>(token, { strict: false }),
    }));
    return { module: SharedProviders, global: true, providers, exports: SHARED };
  }
}

class SharedProviders {}
