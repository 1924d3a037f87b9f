import { PRIVATE_SUFFIXES_DESCRIPTION } from '@postern/outbound';
import { concurrentBuilds, flag, integer, list, text } from '@postern/service-host/config';

const ms = (byDefault: number) => integer().min(100).default(byDefault);

/** Settings of web services and deployments, spread into the service's configuration. */
export const webServiceSettings = {
  platformAllowFileRepositories: flag()
    .default(false)
    .describe('Accepts file:// URLs of repositories; only for installations with a single user.'),
  privateDomainSuffixes: list().default([]).describe(PRIVATE_SUFFIXES_DESCRIPTION),
  dnsServers: list()
    .default([])
    .describe('Resolvers for the records of custom domains, comma-separated address[:port]; empty: the system’s.'),
  platformTlsProxy: text()
    .refine(
      proxy => /^(\[[0-9a-f:.]+\]|[^:/\s]+):\d{1,5}$/i.test(proxy),
      'must be an address and a port, such as 127.0.0.1:443',
    )
    .optional()
    .describe(
      'Address and port of the TLS proxy in front of the load balancer, at which the certificates of custom domains are checked each hour. They are not checked without it.',
    ),
  platformConcurrentBuilds: concurrentBuilds(),
  platformRetainedReleases: integer()
    .min(1)
    .max(1000)
    .default(10)
    .describe(
      'Number of earlier live deployments of each web service that can be rolled back to; older artefacts are deleted.',
    ),
  platformQueueDeadlineMs: ms(6 * 3_600_000).describe('Maximum time that a deployment waits in the queue.'),
  platformBuildDeadlineMs: ms(15 * 60_000).describe('Maximum time of a build, until its artefact is stored.'),
  platformReleaseDeadlineMs: ms(3 * 60_000).describe('Maximum time until the instances of a release are ready.'),
  platformStopDeadlineMs: ms(60_000).describe('Maximum time to stop a web service.'),
  platformReconcileMs: ms(15_000).describe('Interval between reconciliations of the runtime with the desired state.'),
  platformUnansweringMs: ms(60_000).describe(
    'A web service counts as failed after no instance has responded for this long.',
  ),
};
