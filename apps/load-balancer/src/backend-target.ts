import { connect } from 'node:net';
import type { Backend } from '@postern/load-balancer-client';
import { type buildConnector, Pool } from 'undici';
import type { Timeouts } from './settings.js';

/** Something under way between a client and a backend. */
export interface Exchange {
  /** Ends it at once, on both sides. */
  cut(): void;
}

export const BACKEND_HOST = '127.0.0.1';

/** One backend with its connections and what is under way on it. */
export class BackendTarget {
  readonly id: string;
  readonly port: number;
  readonly pool: Pool;
  readonly underWay = new Set<Exchange>();
  #sparedUntil = 0;
  #idle: (() => void)[] = [];

  constructor(
    backend: Backend,
    private readonly timeouts: Timeouts,
  ) {
    this.id = backend.id;
    this.port = backend.port;
    this.pool = new Pool(`http://${BACKEND_HOST}:${backend.port}`, {
      pipelining: 1,
      connect: (_options, callback) => openConnection(backend.port, timeouts.connectMs, callback),
      headersTimeout: timeouts.headersMs,
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

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.underWay.size === 0 ? Promise.resolve() : new Promise(resolve => this.#idle.push(resolve));
  }

  /** Cuts all that is under way, and answers how much that was. */
  cutAll(): number {
    const cut = [...this.underWay];
    for (const exchange of cut) exchange.cut();
    return cut.length;
  }

  /** Whether it refused a connection a moment ago. */
  get spared(): boolean {
    return performance.now() < this.#sparedUntil;
  }

  failed(): void {
    this.#sparedUntil = performance.now() + this.timeouts.spareMs;
  }

  answered(): void {
    this.#sparedUntil = 0;
  }

  /** Closes the idle connections. Only for a backend on which nothing is under way any more. */
  close(): void {
    void this.pool.close().catch(() => undefined);
  }
}

const openConnection = (port: number, timeoutMs: number, callback: buildConnector.Callback): void => {
  const socket = connect({ port, host: BACKEND_HOST, noDelay: true });
  const late = setTimeout(() => socket.destroy(new ConnectTimeout(port)), timeoutMs);
  const fail = (error: Error) => {
    clearTimeout(late);
    callback(error, null);
  };
  socket.once('error', fail);
  socket.once('connect', () => {
    clearTimeout(late);
    socket.off('error', fail);
    callback(null, socket);
  });
};

/** The backend's listen queue is full, or its machine gone. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ETIMEDOUT';
  constructor(port: number) {
    super(`no connection to port ${port} in time`);
  }
}
