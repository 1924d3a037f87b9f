import type { Backend, Connected, InstanceConnections } from '@postern/load-balancer-client';
import { type buildConnector, Pool } from 'undici';
import type { Timeouts } from '../settings.js';

/** A request or connection in progress between a client and a backend. */
export interface Exchange {
  /** Ends it immediately on both sides. */
  abort(): void;
}

/** Of the headers of one response. */
export const MAX_RESPONSE_HEADER_BYTES = 64 * 1_024;

/** A backend with its connection pool and its exchanges in progress. */
export class BackendTarget {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  /** From the end of a request to the first line of its response. */
  readonly headersMs: number;
  readonly pool: Pool;
  readonly underWay = new Set<Exchange>();
  #ejectedUntil = 0;
  #idle: (() => void)[] = [];

  constructor(
    backend: Backend,
    private readonly timeouts: Timeouts,
    readonly connections: InstanceConnections,
  ) {
    this.id = backend.id;
    this.host = backend.host;
    this.port = backend.port;
    this.headersMs = backend.firstByteMs ?? timeouts.headersMs;
    this.pool = new Pool(`http://${backend.host}:${backend.port}`, {
      pipelining: 1,
      connect: (_options, callback) =>
        connections.open(backend, timeouts.connectMs, callback as buildConnector.Callback as Connected),
      maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
      headersTimeout: this.headersMs,
      bodyTimeout: timeouts.idleMs,
      keepAliveTimeout: timeouts.backendKeepAliveMs,
      keepAliveMaxTimeout: timeouts.backendKeepAliveMs,
    });
  }

  enter(exchange: Exchange): void {
    this.underWay.add(exchange);
  }

  leave(exchange: Exchange): void {
    if (!this.underWay.delete(exchange) || this.underWay.size > 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when no exchange is in progress. */
  idle(): Promise<void> {
    return this.underWay.size === 0 ? Promise.resolve() : new Promise(resolve => this.#idle.push(resolve));
  }

  /** Aborts all exchanges in progress and returns their number. */
  abortAll(): number {
    const aborted = [...this.underWay];
    for (const exchange of aborted) exchange.abort();
    return aborted.length;
  }

  /** Whether the backend recently refused a connection. */
  get isEjected(): boolean {
    return performance.now() < this.#ejectedUntil;
  }

  onConnectFailed(): void {
    this.#ejectedUntil = performance.now() + this.timeouts.ejectionMs;
  }

  onResponse(): void {
    this.#ejectedUntil = 0;
  }

  /** Closes the idle connections. Only for a backend without exchanges in progress. */
  close(): void {
    void this.pool.close().catch(() => undefined);
  }
}
