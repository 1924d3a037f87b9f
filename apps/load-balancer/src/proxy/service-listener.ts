import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type BlockList, isIP, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { ConnectionLimits } from '@postern/service-host/connections';
import type { Timeouts } from '../settings.js';
import { type ErrorPage, NO_SUCH_HOST, sendErrorPage, UNCLEAR_TARGET } from './error-page.js';
import { requestIdOf, targetOf } from './forwarded-headers.js';
import { hasBody } from './lazy-body.js';
import { ProxiedRequest, type ProxyContext } from './proxied-request.js';
import type { Route } from './route.js';
import type { TrafficGauges } from './traffic-gauges.js';
import { UpgradedConnection } from './upgraded-connection.js';

export interface ListenerOptions {
  readonly timeouts: Timeouts;
  readonly gauges: TrafficGauges;
  /** Limits over all listeners of this process. */
  readonly connections: ConnectionLimits;
  /** The route for the host of a request; undefined for an unknown host. */
  readonly routeOf: (host: string) => Route | undefined;
  /** Proxies whose forwarding headers are trusted. */
  readonly trustedProxies: BlockList | undefined;
}

/** When the listener stops: time for a connected client to send its first request. */
const FIRST_REQUEST_MS = 500;
const MAX_ACCEPTED_AT_STOP = 10_000;
const CHECK_CONNECTIONS_EVERY_MS = 5_000;

/** One port for clients. Parsing is strict: a request that two parsers could interpret differently is refused. */
export class ServiceListener {
  readonly #server: Server;
  readonly #upgraded = new Set<UpgradedConnection>();
  readonly #responses = new Set<ServerResponse>();
  /** Connections without a request so far. */
  readonly #fresh = new Set<Socket>();
  #accepted = 0;
  #onIdle: () => void = () => undefined;
  #stopping = false;

  constructor(private readonly options: ListenerOptions) {
    const { timeouts, gauges, connections, trustedProxies } = options;
    this.#server = createServer({
      insecureHTTPParser: false,
      requireHostHeader: true,
      keepAliveTimeout: timeouts.clientKeepAliveMs,
      headersTimeout: timeouts.requestHeadersMs,
      connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_EVERY_MS, timeouts.requestHeadersMs),
      // The duration of an upload is not limited; only inactivity is.
      requestTimeout: 0,
      shouldUpgradeCallback: canUpgrade,
    });
    this.#server.setTimeout(timeouts.idleMs);
    this.#server.on('connection', socket => {
      gauges.watch(socket);
      this.#accepted += 1;
      this.#fresh.add(socket);
      socket.once('close', () => this.#begun(socket));
    });
    connections.apply(this.#server, trustedProxies);
    this.#server.on('request', (request, response) => this.#onRequest(request, response));
    this.#server.on('upgrade', (request, _socket, head) => this.#onUpgrade(request, head));
  }

  /**
   * With `reusePort`, other processes of this user that also set it may listen on the same port.
   * @throws with code EADDRINUSE if another process uses the port.
   */
  listen(port: number, host: string, reusePort = false): Promise<number> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      const settled = (error?: Error) => {
        server.off('error', settled);
        server.off('listening', settled);
        if (error) reject(error);
        else resolve((server.address() as AddressInfo).port);
      };
      server.once('error', settled);
      server.once('listening', settled);
      server.listen({ port, host, reusePort, backlog: 1_024 });
    });
  }

  /**
   * Accepts no new connections, waits for responses in progress until `deadline`, then closes WebSockets and all other
   * connections.
   */
  async stop(deadline: Promise<unknown>): Promise<void> {
    this.#stopping = true;
    await this.#acceptQueued();
    this.#server.close();
    this.#server.closeIdleConnections();
    const silent = setTimeout(() => {
      this.#fresh.clear();
      this.#reportIdle();
    }, FIRST_REQUEST_MS);
    if (!this.#isIdle)
      await Promise.race([
        deadline,
        new Promise<void>(resolve => {
          this.#onIdle = resolve;
        }),
      ]);
    clearTimeout(silent);
    for (const connection of this.#upgraded) connection.abort();
    this.#server.closeAllConnections();
  }

  /**
   * Closing a socket resets the connections in its queue. Node.js accepts one of them per turn of its event loop, so
   * the queue is empty after a turn without one. Only connections between that turn and the close are lost.
   */
  async #acceptQueued(): Promise<void> {
    const most = this.#accepted + MAX_ACCEPTED_AT_STOP;
    for (let before = -1; before !== this.#accepted && before < most; ) {
      before = this.#accepted;
      await turn();
      await turn();
    }
  }

  get #isIdle(): boolean {
    return this.#responses.size === 0 && this.#fresh.size === 0;
  }

  #reportIdle(): void {
    if (this.#isIdle) this.#onIdle();
  }

  #begun(socket: Socket): void {
    if (this.#fresh.delete(socket)) this.#reportIdle();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#responses.add(response);
    this.#begun(socket);
    response.once('close', () => {
      this.options.gauges.release(socket);
      this.#responses.delete(response);
      this.#reportIdle();
    });
    const context = this.#contextOf(request);
    if ('errorPage' in context) sendErrorPage(request, response, context.errorPage);
    else new ProxiedRequest(request, response, context, this.options.timeouts).start();
  }

  #onUpgrade(request: IncomingMessage, head: Buffer): void {
    const { socket } = request;
    this.#begun(socket);
    const context = this.#contextOf(request);
    if ('errorPage' in context || this.#stopping) {
      socket.destroy();
      return;
    }
    const connection = new UpgradedConnection(request, head, context, this.options.timeouts);
    this.#upgraded.add(connection);
    socket.once('close', () => this.#upgraded.delete(connection));
    connection.start();
  }

  #trusts({ remoteAddress = '' }: Socket): boolean {
    const { trustedProxies } = this.options;
    return trustedProxies?.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4') ?? false;
  }

  #contextOf(request: IncomingMessage): ProxyContext | { readonly errorPage: ErrorPage } {
    const { routeOf, gauges } = this.options;
    const target = targetOf(request);
    if (!target) return { errorPage: UNCLEAR_TARGET };
    const route = routeOf(target.host);
    if (!route) return { errorPage: NO_SUCH_HOST };
    return {
      route,
      target,
      isFromTrustedProxy: this.#trusts(request.socket),
      requestId: requestIdOf(request),
      isLast: () => this.#stopping,
      onProxied: () => gauges.attribute(request.socket, route.serviceId),
    };
  }
}

/**
 * Clear-text HTTP/2 is not supported, and the body of an upgrade request would stay unread: both are treated as
 * ordinary requests.
 */
const canUpgrade = (request: IncomingMessage): boolean =>
  request.headers.upgrade !== undefined && !/^h2c$/i.test(request.headers.upgrade) && !hasBody(request);
