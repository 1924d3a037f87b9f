import type { AddressInfo, Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG, HOST, type Host, Metrics, passedSocket } from '@postern/service-host';
import { ConnectionLimits, rangesOf } from '@postern/service-host/connections';
import type { Cell } from './cells/cell.js';
import { type CellConnection, cellsOf, hostOfCell } from './cells/cell-connection.js';
import { CellRouter } from './cells/cell-router.js';
import { CellServices } from './cells/cell-services.js';
import { observeCells } from './cells/observe-cells.js';
import { type GatewayConfig, trustedProxiesOf } from './config.js';
import { SessionCookies } from './infrastructure/http/access/session-cookie.js';
import { BodyReader } from './infrastructure/http/admission/body-reader.js';
import { BufferedBytes } from './infrastructure/http/admission/buffered-bytes.js';
import { CallerLimits } from './infrastructure/http/admission/caller-limits.js';
import { ClientBudgets } from './infrastructure/http/admission/client-budgets.js';
import type { RouteTable } from './infrastructure/http/server/route-table.js';
import { ServiceClient } from './infrastructure/service-client/ports.js';
import { createPublicApp, type PublicApp, type SharedLimits } from './public-app.js';

/**
 * Serves the public port as a separate application, because the operator's port has health details and metrics. Opens
 * once the service has started, and closes before its dependencies. Every cell has an application of its own, so that
 * nothing of a caller is kept where callers of another cell can reach it.
 */
@Injectable()
export class PublicServer implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #apps: PublicApp[] = [];
  #isStopping = false;

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(HOST) private readonly host: Host<GatewayConfig>,
    private readonly services: ServiceClient,
    private readonly buffered: BufferedBytes,
    private readonly metrics: Metrics,
  ) {}

  get port(): number {
    const address: AddressInfo | string | null | undefined = this.#apps[0]?.server.address();
    if (!address || typeof address === 'string') throw new Error('The public port is closed');
    return address.port;
  }

  get routes(): RouteTable {
    const [listening] = this.#apps;
    if (!listening) throw new Error('The public port is closed');
    return listening.routes;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, host, services } = this;
    const trustedProxies = trustedProxiesOf(config);
    if (rangesOf(trustedProxies).check('127.0.0.1'))
      host.log.warn(
        { trustedProxies },
        'Every program on this machine may claim any client address: loopback is a trusted proxy',
      );
    const shared = this.#sharedLimits(config, trustedProxies);
    const connected = cellsOf(host);
    if (connected) observeCells(connected.cells, this.metrics);
    const router =
      connected &&
      new CellRouter(connected, shared.budgets, new SessionCookies(config.publicUrl), rangesOf(trustedProxies));
    const listening = await createPublicApp({
      host: connected ? hostOfCell(host, connected.cells, connected.home) : host,
      services,
      shared,
      connections: () => this.#connectionLimits(config, shared.budgets),
      route: router?.route,
    });
    this.#apps.push(listening);
    if (connected && router)
      for (const cell of connected.cells.all) if (cell !== connected.home) this.#serve(connected, cell, router, shared);
    await listening.app.listen({ port: config.port, host: config.host, ...passedSocket(process.env, process.pid) });
  }

  /**
   * Closes client connections with their next response, then stops accepting connections, closes idle ones, finishes
   * open requests, and records the queued opens and clicks.
   */
  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    const [listening] = this.#apps;
    if (listening) await untilUnused(listening.server, this.config.connectionDrainMs);
    // Together: the listening one waits for streams that the others end.
    await Promise.all(this.#apps.map(({ app }) => app.close()));
    await cellsOf(this.host)?.cells.close();
  }

  /** Serves a cell once it is connected. */
  #serve({ cells }: CellConnection, cell: Cell, router: CellRouter, shared: SharedLimits): void {
    const serve = async () => {
      await cell.connect();
      if (this.#isStopping) return;
      const host = hostOfCell(this.host, cells, cell);
      const app = await createPublicApp({ host, services: new CellServices(cells, cell), shared });
      await app.app.init();
      await app.app.getHttpAdapter().getInstance().ready();
      this.#apps.push(app);
      router.add(cell, app.server);
    };
    // Only a new process can recover.
    serve().catch(error => this.host.link.fail(error));
  }

  #sharedLimits(config: GatewayConfig, trustedProxies: readonly string[]): SharedLimits {
    return {
      budgets: new ClientBudgets(config.clientRequestsPerSecond),
      limits: new CallerLimits({
        perCaller: config.callerRequestsPerSecond,
        perWorkspace: config.workspaceRequestsPerSecond,
        atOnce: config.callerRequestsAtOnce,
      }),
      bodies: new BodyReader(this.buffered),
      trustedProxies,
      isStopping: () => this.#isStopping,
    };
  }

  #connectionLimits(config: GatewayConfig, budgets: ClientBudgets): ConnectionLimits {
    return new ConnectionLimits({
      total: config.maxConnections,
      perAddress: config.maxConnectionsPerAddress,
      blocking: {
        isBlocked: client => budgets.isBlocked(client),
        isClientKnown: client => this.#apps.some(({ admission }) => admission.isClientKnown(client)),
        isKnown: request => this.#apps.some(({ admission }) => admission.isKnown(request)),
        onDropped: client => budgets.drop(client),
      },
    });
  }
}

const DRAIN_CHECK_MS = 100;

/** Waits until a server has no connections, or the time limit is reached. */
const untilUnused = async (server: Server, limitMs: number): Promise<void> => {
  const connections = promisify(server.getConnections.bind(server));
  const end = performance.now() + limitMs;
  while (performance.now() < end && (await connections()) > 0) await pause(DRAIN_CHECK_MS);
};
