import type { BlockList } from 'node:net';
import { resolve } from 'node:path';
import type { Environment } from '@postern/service-host/config';
import { type BalancerConfig, config } from './config.js';

/** Timeouts, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  /** For the headers of a request, from the connection or the first byte of the request. */
  readonly requestHeadersMs: number;
  /** From the end of the request to the first line of its response. */
  readonly headersMs: number;
  /** Maximum time without data on a connection, body or WebSocket. */
  readonly idleMs: number;
  /**
   * Shorter than the keep-alive of common servers, so that the load balancer closes idle connections, not the backend.
   */
  readonly backendKeepAliveMs: number;
  readonly clientKeepAliveMs: number;
  /** How long a backend that refused a connection is avoided while others are available. */
  readonly ejectionMs: number;
  readonly shutdownMs: number;
  /** How long a worker process keeps serving without a main process. */
  readonly failoverMs: number;
}

/** Maximum number of client connections per worker. */
export interface ConnectionBounds {
  readonly total: number;
  readonly perAddress: number;
}

export interface BalancerSettings {
  readonly platformHome: string;
  /** Address at which services are reachable. */
  readonly host: string;
  /** With it, or with a shared port, another listener routes by `<name>-<short id>.<domain>` and custom domains. */
  readonly domain: string | undefined;
  /** Port of that listener; with a domain, 0 picks a free one. */
  readonly sharedPort: number;
  /** Proxies whose forwarding headers are trusted on the shared port. */
  readonly trustedProxies: BlockList;
  readonly connections: ConnectionBounds;
  readonly exitWithParent: boolean;
  readonly timeouts: Timeouts;
}

const timeoutsOf = (read: BalancerConfig): Timeouts => ({
  connectMs: read.platformBalancerConnectTimeoutMs,
  requestHeadersMs: read.platformBalancerRequestHeadersTimeoutMs,
  headersMs: read.platformBalancerHeadersTimeoutMs,
  idleMs: read.platformBalancerIdleTimeoutMs,
  backendKeepAliveMs: 1_500,
  clientKeepAliveMs: 75_000,
  ejectionMs: 1_000,
  shutdownMs: read.shutdownTimeoutMs,
  failoverMs: read.platformBalancerFailoverTimeoutMs,
});

/** @throws `ConfigError` with one line for each missing or invalid variable. */
export const settingsFrom = (environment: Environment): BalancerSettings => {
  const read = config.read(environment);
  return {
    platformHome: resolve(read.platformHome),
    host: read.platformBalancerHost,
    domain: read.platformDomain?.toLowerCase(),
    sharedPort: read.platformBalancerPort,
    trustedProxies: read.platformBalancerTrustedProxies,
    connections: {
      total: read.platformBalancerMaxConnections,
      perAddress: read.platformBalancerMaxConnectionsPerAddress,
    },
    exitWithParent: read.exitWithParent,
    timeouts: timeoutsOf(read),
  };
};
