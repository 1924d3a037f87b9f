import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Timeouts, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
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

export const TIMEOUTS: Timeouts = {
  connectMs: 3_000,
  headersMs: 60_000,
  idleMs: 300_000,
  backendKeepAliveMs: 4_000,
  clientKeepAliveMs: 75_000,
  spareMs: 1_000,
  shutdownMs: 10_000,
  failoverMs: 60_000,
};

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
  readonly exitWithParent: boolean;
  readonly timeouts: Timeouts;
}

const optional = (name: string) => z.string().trim().min(1, `${name} is empty`).optional();
const milliseconds = (fallback: number) => z.coerce.number().int().min(1).default(fallback);

/** A proxy of the operator is usually beside the load balancer; a client on the internet never is. */
export const PRIVATE_NETWORKS = '127.0.0.0/8,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7';

/** Addresses and CIDR ranges, comma-separated; `none` is the empty list. */
export const networks = (text: string, context?: z.RefinementCtx): BlockList => {
  const list = new BlockList();
  for (const entry of text === 'none' ? [] : text.split(',').map(part => part.trim())) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv6' ? 128 : 32;
    if (!isIP(address) || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      context?.addIssue(`${entry} is no address and no CIDR range`);
    else list.addSubnet(address, Number(bits ?? most), family);
  }
  return list;
};

const environmentShape = z
  .object({
    POSTERN_PLATFORM_HOME: z.string({ error: 'POSTERN_PLATFORM_HOME is missing' }).min(1),
    POSTERN_PLATFORM_BALANCER_HOST: z.string().min(1).default('127.0.0.1'),
    POSTERN_PLATFORM_BALANCER_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
    POSTERN_PLATFORM_DOMAIN: optional('POSTERN_PLATFORM_DOMAIN'),
    POSTERN_PLATFORM_BALANCER_CONNECT_TIMEOUT_MS: milliseconds(TIMEOUTS.connectMs),
    POSTERN_PLATFORM_BALANCER_HEADERS_TIMEOUT_MS: milliseconds(TIMEOUTS.headersMs),
    POSTERN_PLATFORM_BALANCER_IDLE_TIMEOUT_MS: milliseconds(TIMEOUTS.idleMs),
    POSTERN_PLATFORM_BALANCER_TRUSTED_PROXIES: z.string().default(PRIVATE_NETWORKS).transform(networks),
    POSTERN_PLATFORM_BALANCER_FAILOVER_TIMEOUT_MS: milliseconds(TIMEOUTS.failoverMs),
    POSTERN_SHUTDOWN_TIMEOUT_MS: milliseconds(TIMEOUTS.shutdownMs),
    POSTERN_EXIT_WITH_PARENT: z.stringbool().default(false),
  })
  .transform(
    (variables): BalancerSettings => ({
      platformHome: resolve(variables.POSTERN_PLATFORM_HOME),
      host: variables.POSTERN_PLATFORM_BALANCER_HOST,
      domain: variables.POSTERN_PLATFORM_DOMAIN?.toLowerCase(),
      sharedPort: variables.POSTERN_PLATFORM_BALANCER_PORT,
      trustedProxies: variables.POSTERN_PLATFORM_BALANCER_TRUSTED_PROXIES,
      exitWithParent: variables.POSTERN_EXIT_WITH_PARENT,
      timeouts: {
        ...TIMEOUTS,
        connectMs: variables.POSTERN_PLATFORM_BALANCER_CONNECT_TIMEOUT_MS,
        headersMs: variables.POSTERN_PLATFORM_BALANCER_HEADERS_TIMEOUT_MS,
        idleMs: variables.POSTERN_PLATFORM_BALANCER_IDLE_TIMEOUT_MS,
        shutdownMs: variables.POSTERN_SHUTDOWN_TIMEOUT_MS,
        failoverMs: variables.POSTERN_PLATFORM_BALANCER_FAILOVER_TIMEOUT_MS,
      },
    }),
  );

/** @throws with one line for every variable that is missing or makes no sense. */
export const settingsFrom = (environment: NodeJS.ProcessEnv): BalancerSettings => {
  const read = environmentShape.safeParse(environment);
  if (read.success) return read.data;
  throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
};
