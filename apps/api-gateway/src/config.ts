import { fileURLToPath } from 'node:url';

/** All that the gateway can be told from outside. */
export abstract class GatewayConfig {
  /** Base URL as clients see it; its scheme decides over Secure cookies and HSTS. */
  abstract readonly publicUrl: string;
  /** Folder with the dashboard's built files. */
  abstract readonly dashboardDir: string;
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is believed. */
  abstract readonly trustedProxies: readonly string[];
  /** Connections at the same time; more are turned away at once. */
  abstract readonly maxConnections: number;
  /** How long a client may take to send its headers. */
  abstract readonly headersTimeoutMs: number;
  /** How long a client may take to send headers and body together. */
  abstract readonly requestTimeoutMs: number;
}

export const BUILT_DASHBOARD = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));
