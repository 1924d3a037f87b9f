import type { BlockList } from 'node:net';
import { resolve } from 'node:path';
import type { Environment } from '@postern/service-host/config';
import { type BalancerConfig, config } from './config.js';

/** Timeouts, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  /** For the headers of a request, from the connection or their first byte. */
  readonly requestHeadersMs: number;
  /** From the end of the request to the first line of its response. */
  readonly headersMs: number;
  /** A connection, body or WebSocket on which nothing moves. */
  readonly idleMs: number;
  /** Shorter than what servers of every language keep an idle connection for, so that we are the one who closes it. */
  readonly backendKeepAliveMs: number;
  readonly clientKeepAliveMs: number;
  /** How long a backend that refused a connection is spared while others are there. */
  readonly spareMs: number;
  readonly shutdownMs: number;
  /** How long a worker process serves on without a main process. */
  readonly failoverMs: number;
}

/** How many connections of clients a worker has. */
export interface ConnectionBounds {
  readonly total: number;
  readonly perAddress: number;
}

export interface BalancerSettings {
  readonly platformHome: string;
  /** Address that services are reached at. */
  readonly host: string;
  /** With it, or with a shared port, one more listener routes by `<name>-<short id>.<domain>` and custom domains. */
  readonly domain: string | undefined;
  /** Port of that listener; with a domain, 0 picks a free one. */
  readonly sharedPort: number;
  /** Proxies on the shared port whose word on client, scheme and host counts. */
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
  backendKeepAliveMs: 4_000,
  clientKeepAliveMs: 75_000,
  spareMs: 1_000,
  shutdownMs: read.shutdownTimeoutMs,
  failoverMs: read.platformBalancerFailoverTimeoutMs,
});

/** @throws `ConfigError` with one line for every variable that is missing or makes no sense. */
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
