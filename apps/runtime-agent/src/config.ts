import { type ConfigOf, concurrentBuilds, defineConfig, flag, integer, text } from '@postern/service-host/config';
import { kubernetesSettings } from './kubernetes-runtime/kubernetes-settings.js';
import { localDatabasesSettings } from './local-runtime/databases/local-databases-settings.js';
import { networkSettings } from './local-runtime/sandbox/network/network-settings.js';

/** Every setting of runtime-agent. */
export const config = defineConfig({
  ...kubernetesSettings,
  ...localDatabasesSettings,
  ...networkSettings,
  platformHome: text()
    .default('/var/lib/postern')
    .describe('Folder for web services and databases that run on this machine; all users must be able to enter it.'),
  platformAllowFileRepositories: flag()
    .default(false)
    .describe('Accepts file:// URLs of repositories; only for installations with a single user.'),
  gitAllowPrivate: flag()
    .default(false)
    .describe('Allows repositories and registries at private addresses; for local development and tests only.'),
  platformConcurrentBuilds: concurrentBuilds(),
  platformBuildMemoryMib: integer()
    .min(256)
    .optional()
    .describe(
      'Memory limit of a build on this machine. Default: the memory of the machine, divided by the number of concurrent builds plus one; from 2 to 8 GiB.',
    ),
  platformObservationMs: integer()
    .min(0)
    .default(3_000)
    .describe('Time that a new release must stay healthy before it replaces the one that serves.'),
  platformBalancerPatienceMs: integer()
    .min(0)
    .default(10_000)
    .describe('Time that commands to the load balancer are retried while it is unavailable.'),
});

export type RuntimeAgentConfig = ConfigOf<typeof config>;
