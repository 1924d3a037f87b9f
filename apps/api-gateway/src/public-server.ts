import type { AddressInfo } from 'node:net';
import fastifyStatic from '@fastify/static';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CONFIG, HOST, type Host, HostModule } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type GatewayConfig, trustedProxiesOf } from './config.js';
import { apiKeyHashOf, assertValidApiKey } from './infrastructure/http/access/api-key.js';
import { admitCall, isPlatformRoute } from './infrastructure/http/access/platform-admission.js';
import { fastifyServer } from './infrastructure/http/server/fastify-server.js';
import { HttpErrorsFilter } from './infrastructure/http/server/http-errors.filter.js';
import { requestObserver } from './infrastructure/http/server/request-observer.js';
import { RouteTable } from './infrastructure/http/server/route-table.js';
import { ShapePipe } from './infrastructure/http/validation/shape-pipe.js';
import { PublicApiModule } from './public-api.module.js';
import { ServiceClient } from './service-client/ports.js';

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
    @Inject(HOST) private readonly host: Host,
    private readonly services: ServiceClient,
  ) {}

  get port(): number {
    const address: AddressInfo | string | null | undefined = this.app?.getHttpServer().address();
    if (!address || typeof address === 'string') throw new Error('The public port is closed');
    return address.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, routes } = this;
    const { log, metrics } = this.host;
    const adapter = fastifyServer({
      ...config,
      trustedProxies: trustedProxiesOf(config),
      routes,
      secure: config.publicUrl.startsWith('https:'),
      ...requestObserver(metrics, log),
      beforeBody: (request, reply) => this.beforeBody(request, reply),
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      { module: PublicApiModule, imports: [HostModule.of(this.host)] },
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
}
