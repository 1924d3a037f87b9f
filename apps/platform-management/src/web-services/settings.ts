import { PRIVATE_SUFFIXES_DESCRIPTION } from '@postern/outbound';
import { concurrentBuilds, flag, integer, list } from '@postern/service-host/config';

const ms = (byDefault: number) => integer().min(100).default(byDefault);

/** Settings of web services and deployments, spread into the service's configuration. */
export const webServiceSettings = {
  platformAllowFileRepositories: flag()
    .default(false)
    .describe('Accept file:// as the address of a repository; for a platform that its owner alone uses.'),
  privateDomainSuffixes: list().default([]).describe(PRIVATE_SUFFIXES_DESCRIPTION),
  dnsServers: list()
    .default([])
    .describe('Resolvers for the records of custom domains, comma-separated address[:port]; empty: the system’s.'),
  platformConcurrentBuilds: concurrentBuilds(),
  platformRetainedReleases: integer()
    .min(1)
    .max(1000)
    .default(10)
    .describe('Deployments of each web service that were live and can be gone back to; older artefacts are deleted.'),
  platformQueueDeadlineMs: ms(6 * 3_600_000).describe('Longest wait of a deployment for its turn.'),
  platformBuildDeadlineMs: ms(15 * 60_000).describe('Longest build, from its turn until its artefact is kept.'),
  platformReleaseDeadlineMs: ms(3 * 60_000).describe('Longest time until the instances of a release answer.'),
  platformStopDeadlineMs: ms(60_000).describe('Longest stop of a web service.'),
  platformReconcileMs: ms(15_000).describe('How often the runtime is held against what should run.'),
  platformUnansweringMs: ms(60_000).describe('How long nothing of a web service may answer until it counts as failed.'),
};
