import type { Server } from 'node:http';
import fastifyStatic from '@fastify/static';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Host, HostModule } from '@postern/service-host';
import type { ConnectionLimits } from '@postern/service-host/connections';
import { logAccess } from './access-log/access-log.js';
import { announceWrites } from './change-stream/announce-writes.js';
import type { GatewayConfig } from './config.js';
import { Admission } from './infrastructure/http/admission/admission.js';
import type { BodyReader } from './infrastructure/http/admission/body-reader.js';
import type { CallerLimits } from './infrastructure/http/admission/caller-limits.js';
import type { ClientBudgets } from './infrastructure/http/admission/client-budgets.js';
import { AuditRecorder } from './infrastructure/http/audit/audit-recorder.js';
import { auditRefusedCalls } from './infrastructure/http/audit/audit-refused-calls.js';
import type { CellRoute } from './infrastructure/http/server/cell-route.js';
import { fastifyServer } from './infrastructure/http/server/fastify-server.js';
import { HttpErrorsFilter } from './infrastructure/http/server/http-errors.filter.js';
import { requestObserver } from './infrastructure/http/server/request-observer.js';
import { RouteTable } from './infrastructure/http/server/route-table.js';
import { ShapePipe } from './infrastructure/http/validation/shape-pipe.js';
import type { ServiceClient } from './infrastructure/service-client/ports.js';
import { PublicApiModule } from './public-api.module.js';
import { logRequests } from './request-log/log-requests.js';
import { RequestLog } from './request-log/request-log.js';

/** The limits of the process, which all its applications share. */
export interface SharedLimits {
  readonly budgets: ClientBudgets;
  readonly limits: CallerLimits;
  readonly bodies: BodyReader;
  readonly trustedProxies: readonly string[];
  readonly isStopping: () => boolean;
}

export interface PublicAppOptions {
  readonly host: Host<GatewayConfig>;
  readonly services: ServiceClient;
  readonly shared: SharedLimits;
  /** For the application that listens. */
  readonly connections?: ((admission: Admission) => ConnectionLimits) | undefined;
  readonly route?: CellRoute | undefined;
}

/** The public API over the services of one installation or cell. */
export interface PublicApp {
  readonly app: NestFastifyApplication;
  readonly server: Server;
  readonly admission: Admission;
  readonly routes: RouteTable;
}

export const createPublicApp = async (options: PublicAppOptions): Promise<PublicApp> => {
  const { host, services, shared, connections, route } = options;
  const { config, log, metrics } = host;
  const routes = new RouteTable();
  const observer = requestObserver(metrics);
  const logRequest = config.accessLog ? logAccess(log) : undefined;
  const admission = new Admission(services, shared.budgets, shared.limits, config.publicUrl);
  const adapter = fastifyServer({
    ...config,
    trustedProxies: shared.trustedProxies,
    routes,
    secure: config.publicUrl.startsWith('https:'),
    ...observer,
    onRequest: (request, reply) => {
      observer.onRequest(request);
      logRequest?.(request, reply);
    },
    admission,
    bodies: shared.bodies,
    connections: connections?.(admission),
    route,
    isStopping: shared.isStopping,
  });
  auditRefusedCalls(adapter.getInstance(), new AuditRecorder(services, host));
  announceWrites(adapter.getInstance(), host.changes);
  logRequests(adapter.getInstance(), new RequestLog(services, log));
  const app = await NestFactory.create<NestFastifyApplication>(
    { module: PublicApiModule, imports: [HostModule.of(host)] },
    adapter,
    { bodyParser: false, abortOnError: false },
  );
  await app.register(fastifyStatic, { root: import.meta.dirname, serve: false, preCompressed: true });
  app.useGlobalPipes(new ShapePipe());
  app.useGlobalFilters(new HttpErrorsFilter(routes, log, config.publicUrl.replace(/\/+$/, '')));
  return { app, server: adapter.getInstance().server, admission, routes };
};
