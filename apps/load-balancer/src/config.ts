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
  platformHome: text().describe('The home that runtime-agent has.'),
  platformBalancerHost: text().default('127.0.0.1').describe('Address that web services are reached at.'),
  platformBalancerPort: integer()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('The shared port, where web services answer by host name; 0 picks a free one.'),
  platformDomain: text().trim().optional().describe('Domain below which every web service has a host.'),
  platformBalancerTrustedProxies: networks().describe(
    'Addresses or CIDR ranges of the proxies before the shared port, comma-separated, or "none". They may name client, scheme and host of a request. Code of web services must not be able to connect from them.',
  ),
  platformBalancerMaxConnections: integer()
    .min(1)
    .default(10_000)
    .describe(
      'Maximum number of connections of clients to each worker process, over all services; more are refused. Fewer if the process may open fewer than three times as many files.',
    ),
  platformBalancerMaxConnectionsPerAddress: integer()
    .min(1)
    .default(500)
    .describe('Of them from one address, or /64 of IPv6; trusted proxies have no such limit at the shared port.'),
  platformBalancerConnectTimeoutMs: milliseconds(3_000).describe('Longest connection attempt to an instance.'),
  platformBalancerRequestHeadersTimeoutMs: milliseconds(15_000).describe(
    'Time for a client to send the headers of a request, from its connection or the first byte.',
  ),
  platformBalancerHeadersTimeoutMs: milliseconds(60_000).describe(
    'From the end of a request to the first line of its response.',
  ),
  platformBalancerIdleTimeoutMs: milliseconds(300_000).describe('A connection, body or WebSocket without data.'),
  platformBalancerFailoverTimeoutMs: milliseconds(60_000).describe('How long workers serve without a main process.'),
  shutdownTimeoutMs: milliseconds(10_000).describe('Time to finish requests on SIGTERM.'),
  exitWithParent: flag().default(false).describe('Shut down when standard input closes.'),
});

export type BalancerConfig = ConfigOf<typeof config>;
