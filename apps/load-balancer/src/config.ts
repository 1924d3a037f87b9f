import { type ConfigOf, defineSettings, flag, integer, text } from '@postern/service-host/config';
import { rangesOf } from '@postern/service-host/connections';

const milliseconds = (fallback: number) => integer().min(1).default(fallback);

/** Addresses and CIDR ranges, comma-separated; `none` is the empty list. */
const networks = () =>
  text()
    .default('none')
    .transform((given, context) => {
      try {
        return rangesOf(given === 'none' ? [] : given.split(',').map(entry => entry.trim()));
      } catch (error) {
        context.addIssue((error as Error).message);
        return rangesOf([]);
      }
    });

/** The settings of the load balancer. */
export const config = defineSettings({
  platformHome: text().describe('The same folder as POSTERN_PLATFORM_HOME of runtime-agent.'),
  platformBalancerHost: text().default('127.0.0.1').describe('Address that the load balancer listens on.'),
  platformBalancerPort: integer()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Port that serves all web services by host name; 0 picks a free one.'),
  platformDomain: text().trim().optional().describe('Parent domain of the host names of web services.'),
  platformBalancerTrustedProxies: networks().describe(
    'Addresses or CIDR ranges of the proxies in front of the shared port, comma-separated, or "none". Their forwarding headers (client, scheme, host) are trusted, so web services must not be able to connect from these addresses.',
  ),
  platformBalancerMaxConnections: integer()
    .min(1)
    .default(10_000)
    .describe(
      'Maximum client connections of each worker process, over all services; more are refused. At most a third of the limit of open files.',
    ),
  platformBalancerMaxConnectionsPerAddress: integer()
    .min(1)
    .default(500)
    .describe(
      'Maximum client connections from one address, or /64 of IPv6; trusted proxies are exempt on the shared port.',
    ),
  platformBalancerConnectTimeoutMs: milliseconds(3_000).describe('Time limit for connecting to an instance.'),
  platformBalancerRequestHeadersTimeoutMs: milliseconds(15_000).describe(
    'Time limit for a client to send the headers of a request, from its connection or the first byte.',
  ),
  platformBalancerHeadersTimeoutMs: milliseconds(900_000).describe(
    'Time limit for an instance to begin its response after the end of the request.',
  ),
  platformBalancerIdleTimeoutMs: milliseconds(300_000).describe(
    'Time without data after which a connection, body or WebSocket is closed.',
  ),
  platformBalancerFailoverTimeoutMs: milliseconds(60_000).describe(
    'Time that workers continue to serve after the main process exited.',
  ),
  shutdownTimeoutMs: milliseconds(10_000).describe('Time to finish requests on SIGTERM.'),
  exitWithParent: flag().default(false).describe('Shuts down when standard input closes.'),
});

export type BalancerConfig = ConfigOf<typeof config>;
