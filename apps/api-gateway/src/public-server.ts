import type { AddressInfo, Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import fastifyStatic from '@fastify/static';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CONFIG, HOST, type Host, HostModule, passedSocket } from '@postern/service-host';
import { ConnectionLimits, rangesOf } from '@postern/service-host/connections';
import { logAccess } from './access-log/access-log.js';
import { announceWrites } from './change-stream/announce-writes.js';
import { type GatewayConfig, trustedProxiesOf } from './config.js';
import { Admission } from './infrastructure/http/admission/admission.js';
import { BodyReader } from './infrastructure/http/admission/body-reader.js';
import { BufferedBytes } from './infrastructure/http/admission/buffered-bytes.js';
import { CallerLimits } from './infrastructure/http/admission/caller-limits.js';
import { ClientBudgets } from './infrastructure/http/admission/client-budgets.js';
import { AuditRecorder } from './infrastructure/http/audit/audit-recorder.js';
import { auditRefusedCalls } from './infrastructure/http/audit/audit-refused-calls.js';
import { fastifyServer } from './infrastructure/http/server/fastify-server.js';
import { HttpErrorsFilter } from './infrastructure/http/server/http-errors.filter.js';
import { requestObserver } from './infrastructure/http/server/request-observer.js';
import { RouteTable } from './infrastructure/http/server/route-table.js';
import { ShapePipe } from './infrastructure/http/validation/shape-pipe.js';
import { ServiceClient } from './infrastructure/service-client/ports.js';
import { PublicApiModule } from './public-api.module.js';
import { logRequests } from './request-log/log-requests.js';
import { RequestLog } from './request-log/request-log.js';

/**
 * Serves the public port as a separate application, because the operator's port has health details and metrics. Opens
 * once the service has started, and closes before its dependencies.
 */
@Injectable()
export class PublicServer implements OnApplicationBootstrap, OnModuleDestroy {
  readonly routes = new RouteTable();
  #app: NestFastifyApplication | undefined;
  #isStopping = false;

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(HOST) private readonly host: Host,
    private readonly services: ServiceClient,
    private readonly buffered: BufferedBytes,
  ) {}

  get port(): number {
    const address: AddressInfo | string | null | undefined = this.#app?.getHttpServer().address();
    if (!address || typeof address === 'string') throw new Error('The public port is closed');
    return address.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, routes } = this;
    const { log, metrics } = this.host;
    const observer = requestObserver(metrics);
    const logRequest = config.accessLog ? logAccess(log) : undefined;
    const trustedProxies = trustedProxiesOf(config);
    if (rangesOf(trustedProxies).check('127.0.0.1'))
      log.warn(
        { trustedProxies },
        'Every program on this machine may claim any client address: loopback is a trusted proxy',
      );
    const adapter = fastifyServer({
      ...config,
      trustedProxies,
      routes,
      secure: config.publicUrl.startsWith('https:'),
      ...observer,
      onRequest: (request, reply) => {
        observer.onRequest(request);
        logRequest?.(request, reply);
      },
      ...this.#admissionOf(config),
      isStopping: () => this.#isStopping,
    });
    auditRefusedCalls(adapter.getInstance(), new AuditRecorder(this.services, this.host));
    announceWrites(adapter.getInstance(), this.host.changes);
    logRequests(adapter.getInstance(), new RequestLog(this.services, log));
    const app = await NestFactory.create<NestFastifyApplication>(
      { module: PublicApiModule, imports: [HostModule.of(this.host)] },
      adapter,
      { bodyParser: false, abortOnError: false },
    );
    await app.register(fastifyStatic, { root: import.meta.dirname, serve: false, preCompressed: true });
    app.useGlobalPipes(new ShapePipe());
    app.useGlobalFilters(new HttpErrorsFilter(routes, log, config.publicUrl.replace(/\/+$/, '')));
    await app.listen({ port: config.port, host: config.host, ...passedSocket(process.env, process.pid) });
    this.#app = app;
  }

  /**
   * Closes client connections with their next response, then stops accepting connections, closes idle ones, finishes
   * open requests, and records the queued opens and clicks.
   */
  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    if (this.#app) await untilUnused(this.#app.getHttpServer(), this.config.connectionDrainMs);
    await this.#app?.close();
  }

  #admissionOf(config: GatewayConfig) {
    const budgets = new ClientBudgets(config.clientRequestsPerSecond);
    const limits = new CallerLimits({
      perCaller: config.callerRequestsPerSecond,
      perWorkspace: config.workspaceRequestsPerSecond,
      atOnce: config.callerRequestsAtOnce,
    });
    const admission = new Admission(this.services, budgets, limits, config.publicUrl);
    return {
      admission,
      bodies: new BodyReader(this.buffered),
      connections: new ConnectionLimits({
        total: config.maxConnections,
        perAddress: config.maxConnectionsPerAddress,
        blocking: {
          isBlocked: client => budgets.isBlocked(client),
          isClientKnown: client => admission.isClientKnown(client),
          isKnown: request => admission.isKnown(request),
          onDropped: client => budgets.drop(client),
        },
      }),
    };
  }
}

const DRAIN_CHECK_MS = 100;

/** Waits until a server has no connections, or the time limit is reached. */
const untilUnused = async (server: Server, limitMs: number): Promise<void> => {
  const connections = promisify(server.getConnections.bind(server));
  const end = performance.now() + limitMs;
  while (performance.now() < end && (await connections()) > 0) await pause(DRAIN_CHECK_MS);
};
