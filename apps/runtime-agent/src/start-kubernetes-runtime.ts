import { join } from 'node:path';
import type { Log } from '@postern/messaging';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { assembleKubernetesRuntime } from './kubernetes-runtime/assemble-kubernetes-runtime.js';
import type { KubernetesRuntime } from './kubernetes-runtime/kubernetes-runtime.js';
import type { kubernetesSettings } from './kubernetes-runtime/kubernetes-settings.js';
import { LIMITS } from './local-runtime/assemble-local-runtime.js';
import { assembleLocalBuilds } from './local-runtime/build/assemble-local-builds.js';
import { LogStore } from './local-runtime/logs/log-store.js';
import { redactor } from './local-runtime/redactor.js';
import { inWords } from './local-runtime/source/git-refusals.js';

export type KubernetesConfig = ConfigOf<ConfigDefinition<typeof kubernetesSettings>> & {
  readonly platformHome: string;
  readonly platformAllowFileRepositories: boolean;
};

/**
 * Web services in a cluster. Repositories are looked at from here, as the local runtime does it, and lines are kept in
 * the same store as there.
 */
export const startKubernetesRuntime = async (config: KubernetesConfig, log: Log): Promise<KubernetesRuntime> => {
  const { platformHome, platformAllowFileRepositories: allowFileRepositories, kubernetesImageRepository } = config;
  if (!kubernetesImageRepository)
    throw new Error('POSTERN_PLATFORM_RUNTIME=kubernetes needs POSTERN_KUBERNETES_IMAGE_REPOSITORY');
  const sources = await assembleLocalBuilds({
    platformHome: join(platformHome, 'sources'),
    allowFileRepositories,
    instanceLimits: LIMITS,
    log,
  });
  const nodeSelector = config.kubernetesNodeSelector ?? {};
  return assembleKubernetesRuntime({
    namespace: config.kubernetesNamespace,
    platformHome,
    sources: sources.builds,
    gitWords: inWords,
    logs: new LogStore(platformHome, redactor),
    mask: (text, secrets) => {
      const masking = redactor(secrets);
      return masking.push(text) + masking.end();
    },
    log,
    services: {
      domain: config.platformDomain?.toLowerCase(),
      scheme: config.kubernetesAddressScheme,
      ingressClass: config.kubernetesIngressClass,
      gateway: config.kubernetesGateway,
      nodeSelector,
      pullSecret: config.kubernetesRegistrySecret,
      memoryMiB: config.kubernetesInstanceMemoryMib,
      cpuMillicores: config.kubernetesInstanceCpuMillicores,
      drainSeconds: config.kubernetesDrainSeconds,
    },
    builds: {
      repository: kubernetesImageRepository,
      insecureRegistry: config.kubernetesInsecureRegistry,
      baseImage: config.kubernetesBaseImage,
      builderImage: config.kubernetesBuilderImage,
      registrySecret: config.kubernetesRegistrySecret,
      nodeSelector,
      memoryMiB: config.kubernetesBuildMemoryMib,
      cpuMillicores: config.kubernetesBuildCpuMillicores,
      diskMiB: config.kubernetesBuildDiskMib,
      allowFileRepositories,
    },
  });
};
