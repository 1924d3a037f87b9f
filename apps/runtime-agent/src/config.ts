import { type ConfigOf, concurrentBuilds, defineConfig, flag, integer, text } from '@postern/service-host/config';
import { kubernetesSettings } from './kubernetes-runtime/kubernetes-settings.js';
import { localDatabasesSettings } from './local-databases/local-databases-settings.js';

/** Every setting of runtime-agent. */
export const config = defineConfig({
  ...kubernetesSettings,
  ...localDatabasesSettings,
  platformHome: text()
    .default('/var/lib/postern')
    .describe('Folder of web services and databases that run on this machine; every user has to be able to enter it.'),
  platformAllowFileRepositories: flag()
    .default(false)
    .describe('Accept file:// as the address of a repository; for a platform that its owner alone uses.'),
  gitAllowPrivate: flag()
    .default(false)
    .describe('Allows repositories at private addresses; for local development and tests only.'),
  platformConcurrentBuilds: concurrentBuilds(),
  platformBalancerPatienceMs: integer()
    .min(0)
    .default(10_000)
    .describe('How long orders to the load balancer wait for it while it is away.'),
});

export type RuntimeAgentConfig = ConfigOf<typeof config>;
