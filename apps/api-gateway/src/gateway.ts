import fastifyStatic from '@fastify/static';
import type { Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { apiKeyHashOf } from './adapters/http/api-key.js';
import { HttpErrorsFilter } from './adapters/http/errors/http-errors.filter.js';
import { ShapePipe } from './adapters/http/input/shape-pipe.js';
import { publicServer } from './adapters/http/server/public-server.js';
import { RouteTable } from './adapters/http/server/route-table.js';
import { ApiGatewayModule } from './api-gateway.module.js';
import type { GatewayConfig } from './config.js';
import { Services } from './ports.js';

export interface Gateway {
  readonly app: NestFastifyApplication;
  readonly routes: RouteTable;
}

/** The public door, ready to listen. */
export const createGateway = async (config: GatewayConfig, outside: readonly Provider[]): Promise<Gateway> => {
  const routes = new RouteTable();
  const adapter = publicServer({
    routes,
    secure: config.publicUrl.startsWith('https:'),
    trustedProxies: config.trustedProxies,
    maxConnections: config.maxConnections,
    headersTimeoutMs: config.headersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    beforeBody: request => {
      if (request.routeOptions.url === '/emails' && request.method === 'POST') apiKeyHashOf(request);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(ApiGatewayModule.with(config, outside), adapter, {
    bodyParser: false,
    logger: ['fatal', 'error', 'warn'],
  });
  await app.register(fastifyStatic, { root: config.dashboardDir, serve: false });
  app.useGlobalPipes(new ShapePipe());
  app.useGlobalFilters(new HttpErrorsFilter(routes, app.get(Services)));
  await app.init();
  return { app, routes };
};
