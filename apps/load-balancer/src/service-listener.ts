import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type BlockList, isIP, type Socket } from 'node:net';
import { targetOf } from './forwarded-headers.js';
import { hasBody } from './lazy-body.js';
import { ProxiedRequest, type ProxyContext } from './proxied-request.js';
import { NO_SUCH_HOST, type Refusal, refuse, UNCLEAR_TARGET } from './refusal-page.js';
import type { Route } from './route.js';
import type { Timeouts } from './settings.js';
import type { TrafficGauges } from './traffic-gauges.js';
import { UpgradedConnection } from './upgraded-connection.js';

export interface ListenerOptions {
  readonly timeouts: Timeouts;
  readonly gauges: TrafficGauges;
  /** The route of a request's host; undefined for nobody's host. */
  readonly routeOf: (host: string) => Route | undefined;
  /** Proxies of the operator in front, whose word on client, scheme and host counts. */
  readonly trustedProxies: BlockList | undefined;
}

/** One port that clients connect to. Requests are parsed strictly: what two parsers could read differently is refused. */
export class ServiceListener {
  readonly #server: Server;
  readonly #upgraded = new Set<UpgradedConnection>();
  readonly #responses = new Set<ServerResponse>();
  #onQuiet: () => void = () => undefined;
  #stopping = false;

  constructor(private readonly options: ListenerOptions) {
    const { timeouts, gauges } = options;
    this.#server = createServer({
      insecureHTTPParser: false,
      requireHostHeader: true,
      keepAliveTimeout: timeouts.clientKeepAliveMs,
      headersTimeout: timeouts.headersMs,
      // An upload may take as long as it likes while it moves.
      requestTimeout: 0,
      shouldUpgradeCallback: canUpgrade,
    });
    this.#server.setTimeout(timeouts.idleMs);
    this.#server.on('connection', socket => gauges.watch(socket));
    this.#server.on('request', (request, response) => this.#onRequest(request, response));
    this.#server.on('upgrade', (request, _socket, head) => this.#onUpgrade(request, head));
  }

  /** @throws with code EADDRINUSE where somebody else has the port. */
  listen(port: number, host: string): Promise<number> {
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
      server.listen({ port, host, backlog: 1_024 });
    });
  }

  /** Takes no new connection, finishes the responses under way until `deadline`, then ends WebSockets and the rest. */
  async stop(deadline: Promise<unknown>): Promise<void> {
    this.#stopping = true;
    this.#server.close();
    this.#server.closeIdleConnections();
    if (this.#responses.size > 0)
      await Promise.race([
        deadline,
        new Promise<void>(resolve => {
          this.#onQuiet = resolve;
        }),
      ]);
    for (const connection of this.#upgraded) connection.cut();
    this.#server.closeAllConnections();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#responses.add(response);
    response.once('close', () => {
      this.options.gauges.release(socket);
      this.#responses.delete(response);
      if (this.#responses.size === 0) this.#onQuiet();
    });
    const context = this.#contextOf(request);
    if ('refusal' in context) refuse(request, response, context.refusal);
    else new ProxiedRequest(request, response, context).start();
  }

  #onUpgrade(request: IncomingMessage, head: Buffer): void {
    const { socket } = request;
    const context = this.#contextOf(request);
    if ('refusal' in context || this.#stopping) {
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

  #contextOf(request: IncomingMessage): ProxyContext | { readonly refusal: Refusal } {
    const { routeOf, gauges } = this.options;
    const target = targetOf(request);
    if (!target) return { refusal: UNCLEAR_TARGET };
    const route = routeOf(target.host);
    if (!route) return { refusal: NO_SUCH_HOST };
    return {
      route,
      target,
      trustsFront: this.#trusts(request.socket),
      isLast: () => this.#stopping,
      onProxied: () => gauges.charge(request.socket, route.serviceId),
    };
  }
}

/** Clear-text HTTP/2 is not offered: such a request is an ordinary one. So is one with a body, which would be unread. */
const canUpgrade = (request: IncomingMessage): boolean =>
  request.headers.upgrade !== undefined && !/^h2c$/i.test(request.headers.upgrade) && !hasBody(request);
